"""The part of the standard library, torch and numpy that is known without running anything."""
