import Testing

/// What needs a whole server: all of it runs one test after the other, so that media gets the machine's time to itself.
@Suite("Rooms with real media", .serialized)
enum RealMedia {}
