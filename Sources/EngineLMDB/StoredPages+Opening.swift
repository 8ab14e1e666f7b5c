/// What is looked at before the library maps a data file: it would end the process, or lose commits without a word.

internal import Platform

extension StoredPages {
  private static let triesMax = 5
  private static let pauseMicroseconds: UInt32 = 2_000

  /// Fails where the file cannot be what the library wrote. Nothing is wrong where there is no file yet.
  ///
  /// - Parameter folder: for messages.
  static func checkBeforeOpening(path: String, folder: String) throws(LMDBOpenError) {
    var status = stat()
    if stat(path + "/data.mdb", &status) != 0, errno == ENOENT { return }
    if status.st_size == 0 {
      throw .damaged(
        folder: folder,
        reason: "`data.mdb` is empty; if no data was ever kept there, remove that file and start again")
    }
    // Another process may be writing while this one opens the folder for reading.
    for _ in 0..<triesMax - 1 {
      do throws(LMDBOpenError) { return try checkOnce(path: path, folder: folder) } catch {
        usleep(pauseMicroseconds)
      }
    }
    try checkOnce(path: path, folder: folder)
  }

  private static func checkOnce(path: String, folder: String) throws(LMDBOpenError) {
    let pages = try StoredPages(path: path, folder: folder)
    if let fault = pages.headFaults.first ?? pages.missingPage() {
      throw .damaged(folder: folder, reason: fault.description)
    }
  }

  /// The first page that was cut off. The last pages may be missing when they were never written: then all of them are free.
  private func missingPage() -> PageFault? {
    let present = presentPages
    guard present <= head.lastPage else { return nil }
    let free = freePages(from: present)
    let missing = (present...head.lastPage).first { !free.contains($0) }
    return missing.map { fault($0, "is missing: the file was cut") }
  }
}
