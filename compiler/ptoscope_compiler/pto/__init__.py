"""PTO programs: what the simulator runs, for both modes."""
