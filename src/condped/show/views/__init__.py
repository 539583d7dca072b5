"""What a picture shows, decided once for every library that draws it."""
