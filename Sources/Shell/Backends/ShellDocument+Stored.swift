/// Documents of a store as the shell keeps them.

import Client
import DocModel
import DocStore

extension ShellDocument {
  /// Copies what dies with the view.
  init(_ path: ResourcePath, _ document: StoredDocument) {
    self.init(
      path: path, fields: Fields(document.fields), createTime: document.createTime,
      updateTime: document.updateTime)
  }

  init(_ row: QueryRow) {
    self.init(
      path: ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self)),
      fields: Fields(FieldsView(document: row.fields)), createTime: row.document.createTime,
      updateTime: row.document.updateTime)
  }

  init(_ document: ListenedDocument) {
    let fields = document.image.withDocument { stored in
      document.mask.map { Fields(encoded: $0.project(stored.fields)) } ?? Fields(stored.fields)
    }
    self.init(
      path: document.path, fields: fields, createTime: document.image.createTime,
      updateTime: document.image.updateTime)
  }
}
