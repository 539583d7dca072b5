"""Tables of databases that Ibis reaches."""
