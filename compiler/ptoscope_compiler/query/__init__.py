"""Memoised functions of inputs that change: what an edit does not reach is not computed again."""

from .database import Cancellation, Cancelled, Database, Input, Query, QueryCycle, query

__all__ = ["Cancellation", "Cancelled", "Database", "Input", "Query", "QueryCycle", "query"]
