/// The pages of docs/diagnostics, for `docsh rules check --explain`.
///
/// Written by Scripts/diagnostic-pages; a test fails when a page differs.

enum DiagnosticPages {
  /// The page of a diagnostic; nil if nothing is called so.
  static func page(of id: String) -> String? { pages[id] }

  private static let pages: [String: String] = [:]
}
