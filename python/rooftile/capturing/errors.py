"""What a capture refuses."""

try:
    from rooftile import Error
except ImportError:  # the package without its native part: the capture works by itself
    class Error(Exception):
        """Bad input; one line says what, where and what would do."""
