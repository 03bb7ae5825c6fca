"""Source text: lines and columns, the concrete tree that survives typing, and the `ast` nodes that everything reads."""
