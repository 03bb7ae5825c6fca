"""Arrays of torch and numpy in host code: shapes and element types, never elements."""
