def vector_operations(): return {}
