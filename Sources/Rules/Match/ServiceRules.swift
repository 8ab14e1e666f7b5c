/// The rules of one service beside those of documents.
struct ServiceRules {
  let matcher: PathMatcher
  let blocks: [BlockPlan]
  let allows: AllowTable
}
