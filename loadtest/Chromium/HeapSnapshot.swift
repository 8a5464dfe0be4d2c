/// A heap snapshot of V8: a table of nodes, whose columns are described in the snapshot itself.
struct HeapSnapshot: Decodable {
  private let nodes: [Int]
  private let snapshot: Description

  private struct Description: Decodable { let meta: Meta }

  private struct Meta: Decodable {
    let fields: [String]
    let types: [String]

    private enum CodingKeys: String, CodingKey {
      case fields = "node_fields"
      case types = "node_types"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      fields = try values.decode([String].self, forKey: .fields)
      // The names of the types come first; other columns are numbers or strings.
      var columns = try values.nestedUnkeyedContainer(forKey: .types)
      types = try columns.decode([String].self)
    }
  }

  var bytesByType: [String: Int] {
    let (width, types) = (snapshot.meta.fields.count, snapshot.meta.types)
    guard let type = snapshot.meta.fields.firstIndex(of: "type"), let size = snapshot.meta.fields.firstIndex(of: "self_size")
    else { return [:] }
    return stride(from: 0, through: nodes.count - width, by: width).reduce(into: [:]) { sum, node in
      let number = nodes[node + type]
      if types.indices.contains(number) { sum[types[number], default: 0] += nodes[node + size] }
    }
  }
}
