"""From a plan with windows to fragments that run: lifting, and (later) splitting into slices."""
