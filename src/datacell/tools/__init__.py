"""The tools of the paper: a sensor that sends rows, an actuator that takes answers and measures how late they are."""
