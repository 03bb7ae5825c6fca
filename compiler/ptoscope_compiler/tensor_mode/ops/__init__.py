"""The operations of `pypto`, one module for each family. Importing `registry` declares them all."""
