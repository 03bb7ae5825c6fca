"""The `ptoscope` command."""
