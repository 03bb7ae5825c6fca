"""Where every tensor of a Tile Graph lives: the steps of pass 11, AssignMemoryType."""
