"""Tables, streams and results."""
