"""Reports in notebooks that keep up with their study."""
