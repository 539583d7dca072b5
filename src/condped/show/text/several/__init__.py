"""Results about several studies as text."""
