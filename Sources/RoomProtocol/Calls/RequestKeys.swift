/// The keys of a request: `{"id": 1, "method": "join", "params": {…}}`.
enum RequestKeys: String, CodingKey { case id, method, params }
