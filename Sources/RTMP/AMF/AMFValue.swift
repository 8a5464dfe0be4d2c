/// A value of the Action Message Format, in either of its versions (AMF 0 specification, 2007; AMF 3 specification, 2013).
public indirect enum AMFValue: Hashable, Sendable {
  case null
  case undefined
  case boolean(Bool)
  /// Integers of AMF3 too.
  case number(Double)
  /// XML documents too.
  case string(String)
  /// An anonymous object.
  case object(AMFObject)
  /// An object of a named class.
  case typedObject(String, AMFObject)
  /// An associative array; AMF0 tells it from an object.
  case ecmaArray(AMFObject)
  /// An array with indices only.
  case array([AMFValue])
  /// Milliseconds since 1970 in UTC; the time zone is to be ignored (AMF0 §2.13).
  case date(milliseconds: Double)
  /// Bytes of AMF3.
  case bytes([UInt8])

  /// The number, where it is one.
  public var number: Double? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The text, where it is text.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The truth value, where it is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }

  /// The properties of an object of any kind or of an associative array.
  public var properties: AMFObject? {
    switch self {
    case .object(let object), .typedObject(_, let object), .ecmaArray(let object): object
    default: nil
    }
  }
}

extension AMFValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// Names with values, in the order of the wire.
public struct AMFObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// A name and its value.
  public struct Property: Hashable, Sendable {
    public var name: String
    public var value: AMFValue

    /// A property of this name.
    public init(_ name: String, _ value: AMFValue) {
      self.name = name
      self.value = value
    }
  }

  /// All of them; a name may stand twice.
  public var properties: [Property]

  /// An object with these properties.
  public init(_ properties: [Property] = []) { self.properties = properties }

  public init(dictionaryLiteral elements: (String, AMFValue)...) {
    properties = elements.map { Property($0.0, $0.1) }
  }

  /// The first value of this name; setting it replaces that, adds one, or with nil takes away all.
  public subscript(name: String) -> AMFValue? {
    get { properties.first { $0.name == name }?.value }
    set {
      guard let newValue else {
        properties.removeAll { $0.name == name }
        return
      }
      if let index = properties.firstIndex(where: { $0.name == name }) {
        properties[index].value = newValue
      } else {
        properties.append(Property(name, newValue))
      }
    }
  }
}

/// Why bytes are no AMF values.
public enum AMFError: Error, Hashable, Sendable {
  /// They end within a value.
  case truncated
  /// A marker that stands for nothing, or for what is not to be sent: a movie clip, a record set.
  case unknownMarker(UInt8)
  /// Objects within objects, more than the limit.
  case tooDeep
  /// More values than the limit.
  case tooManyValues
  /// A reference of AMF0 to an object before it, or one of AMF3 to what is not there.
  case reference
  /// An object of AMF3 that its class writes in a form of its own.
  case externalizable
}

/// What AMF values from outside may ask of memory and stack.
public struct AMFLimits: Sendable {
  /// Objects and arrays within each other.
  public var depth: Int
  /// Values and properties in all.
  public var values: Int

  /// The default is many times what commands and metadata need.
  public init(depth: Int = 16, values: Int = 4096) {
    self.depth = depth
    self.values = values
  }
}
