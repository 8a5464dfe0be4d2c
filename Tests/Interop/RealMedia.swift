import Testing

/// Tests that need a whole server. They run serially, so that media gets enough CPU time.
@Suite("Rooms with real media", .serialized)
enum RealMedia {}
