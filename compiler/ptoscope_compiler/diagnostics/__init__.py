"""What the engine tells its users: one file per rule, each with its code, its texts and its remedy."""
