/// The two transports of a participant.
public enum TransportKind: String, Sendable, Hashable { case publish, subscribe }
