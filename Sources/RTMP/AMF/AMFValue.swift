/// A value of the Action Message Format, in either of its versions (AMF 0 specification, 2007; AMF 3 specification, 2013).
public indirect enum AMFValue: Hashable, Sendable {
  case null
  case undefined
  case boolean(Bool)
  /// A number, including AMF3 integers.
  case number(Double)
  /// A string, including XML documents.
  case string(String)
  /// An anonymous object.
  case object(AMFObject)
  /// An object of a named class.
  case typedObject(String, AMFObject)
  /// An associative array; AMF0 distinguishes it from an object.
  case ecmaArray(AMFObject)
  /// An array with indices only.
  case array([AMFValue])
  /// Milliseconds since 1970 in UTC; the time zone is ignored (AMF0 §2.13).
  case date(milliseconds: Double)
  /// An AMF3 byte array.
  case bytes([UInt8])

  /// The number, if the value is one.
  public var number: Double? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The string, if the value is one.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The Boolean, if the value is one.
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

/// Names with values, in wire order.
public struct AMFObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// A name and its value.
  public struct Property: Hashable, Sendable {
    public var name: String
    public var value: AMFValue

    /// Creates a property with this name and value.
    public init(_ name: String, _ value: AMFValue) {
      self.name = name
      self.value = value
    }
  }

  /// All properties; a name may occur twice.
  public var properties: [Property]

  /// Creates an object with these properties.
  public init(_ properties: [Property] = []) { self.properties = properties }

  public init(dictionaryLiteral elements: (String, AMFValue)...) {
    properties = elements.map { Property($0.0, $0.1) }
  }

  /// The first value of this name. Setting it replaces that value or adds one; setting nil removes all values of the name.
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

/// Why bytes are not valid AMF.
public enum AMFError: Error, Hashable, Sendable {
  /// The bytes end within a value.
  case truncated
  /// An undefined marker, or one that is reserved: a movie clip, a record set.
  case unknownMarker(UInt8)
  /// Objects are nested more deeply than the limit.
  case tooDeep
  /// More values than the limit.
  case tooManyValues
  /// An AMF0 reference to an earlier object, or an AMF3 reference to a missing entry.
  case reference
  /// An AMF3 object that its class serialises in a custom format.
  case externalizable
}

/// Limits on the memory and stack that AMF values from a peer may use.
public struct AMFLimits: Sendable {
  /// Maximum nesting of objects and arrays.
  public var depth: Int
  /// Maximum number of values and properties in total.
  public var values: Int

  /// Creates limits. The defaults are many times what commands and metadata need.
  public init(depth: Int = 16, values: Int = 4096) {
    self.depth = depth
    self.values = values
  }
}
