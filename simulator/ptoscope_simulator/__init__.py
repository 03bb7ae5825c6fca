"""From PTO programs to results, time, hazards and a verdict on precision."""
