import RoomHTTPServer

/// Why a stored upload was deleted.
enum UploadDeletion: String, Sendable, CaseIterable {
  case api, unused
}

/// The counters of uploads since the start of the server, and what is stored.
struct UploadTally: Sendable {
  /// Files, and their bytes.
  var stored = 0
  var storedBytes: Int64 = 0
  /// Uploads that are arriving.
  var running = 0
  private(set) var total = 0
  private(set) var totalBytes: Int64 = 0
  var failures: [String: Int] = [:]
  var deleted: [UploadDeletion: Int] = [:]

  mutating func stored(_ bytes: Int64) {
    storedBytes += bytes
    total += 1
    totalBytes += bytes
  }

  func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_uploads", .gauge, "Uploads that are arriving.", running)
    text.add("roomserver_uploads_total", .counter, "Uploads stored.", total)
    text.add("roomserver_upload_bytes_total", .counter, "Bytes of the uploads stored.", totalBytes)
    text.add("roomserver_uploads_stored", .gauge, "Uploaded files on disk.", stored)
    text.add("roomserver_uploads_stored_bytes", .gauge, "Bytes of the uploaded files on disk.", storedBytes)
    text.add(
      "roomserver_uploads_failed_total", .counter, "Uploads refused or ended early, by cause.", label: "cause",
      UploadFailure.causes.map { ($0, failures[$0] ?? 0) })
    text.add(
      "roomserver_uploads_deleted_total", .counter, "Uploads deleted, by reason.", label: "reason",
      UploadDeletion.allCases.map { ($0.rawValue, deleted[$0] ?? 0) })
  }
}
