"""Placing every operator on the engine where it is cheapest, if it can keep up. Pure; knows no engine but by name."""
