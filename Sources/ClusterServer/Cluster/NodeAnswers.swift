import RoomCluster
import RoomHTTPServer

/// What the other nodes answered to one request.
struct NodeAnswers: Sendable {
  struct Answer: Sendable {
    var node: NodeID
    var response: HTTPResponse
  }

  /// Answers of any status but that of a node that could not answer, by name.
  var answers: [Answer] = []
  /// The nodes that did not answer in time, by name.
  var missing: [NodeID] = []

  /// Reads the answers. A node that refused, or whose answer can't be read, is missing too.
  mutating func read<Part>(_ parse: (Answer) -> Part?) -> [Part] {
    var parts: [Part] = []
    for answer in answers {
      if answer.response.status == 200, let part = parse(answer) { parts.append(part) } else { missing.append(answer.node) }
    }
    return parts
  }
}

extension Cluster {
  /// Timeout of a node's answer that is one of many.
  private static let answerTime = Duration.seconds(2)
  /// The number of nodes that are asked at a time.
  private static let askedAtOnce = 32

  /// Asks members the same, each with a timeout of two seconds.
  /// - Parameter request: returns the request to a node.
  func ask(_ members: [ClusterMember], _ request: @escaping @Sendable (NodeID) -> HTTPRequest) async -> NodeAnswers {
    var rest = members[...]
    var result = NodeAnswers()
    await withTaskGroup(of: NodeAnswers.Answer.self) { group in
      func next() {
        guard let member = rest.popFirst() else { return }
        let node = member.incarnation.node
        var question = request(node)
        // Its answer is a part of another one.
        question.isHead = false
        group.addTask { [question] in
          NodeAnswers.Answer(node: node, response: await self.forward(question, to: member, within: Self.answerTime))
        }
      }
      for _ in 0..<Self.askedAtOnce { next() }
      for await answer in group {
        if answer.response.status == 503 { result.missing.append(answer.node) } else { result.answers.append(answer) }
        next()
      }
    }
    result.answers.sort { $0.node < $1.node }
    result.missing.sort()
    return result
  }
}
