// swift-tools-version: 6.2
// The fuzz targets, apart from the main package so that every module in them is instrumented. Bulk runs
// (`rules-crasher`) are of the main package, without instruments, which cost a factor of twenty.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The sanitizers instrument our Swift only; the libraries of the system are not ours to fuzz.
let fuzzed = strict + [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]

/// The driver is linked for its loop; its main gives way to ours.
let linked: [LinkerSetting] = [
  .unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld", "-Xlinker", "--allow-multiple-definition"])
]

let package = Package(
  name: "Fuzz",
  targets: [
    .systemLibrary(name: "CChecksum"),
    .target(
      name: "CRE2",
      cxxSettings: [.unsafeFlags(["-fsanitize=address"])],
      linkerSettings: [.linkedLibrary("re2")]),
    .target(name: "CDigest", linkerSettings: [.linkedLibrary("md")]),
    .target(name: "Platform", dependencies: ["CDigest"], swiftSettings: fuzzed),
    .target(name: "JSON", swiftSettings: fuzzed),
    .target(name: "DocModel", dependencies: ["CChecksum", "Platform"], swiftSettings: fuzzed),
    .target(
      name: "Rules", dependencies: ["CRE2", "DocModel", "JSON", "Platform"], swiftSettings: fuzzed),
    .target(name: "WireExercise", dependencies: ["DocModel"], swiftSettings: fuzzed),
    .target(name: "RulesExercise", dependencies: ["DocModel", "Rules"], swiftSettings: fuzzed),
    .executableTarget(
      name: "WireCursorFuzz", dependencies: ["WireExercise"], swiftSettings: fuzzed, linkerSettings: linked),
    .executableTarget(
      name: "RulesTextFuzz", dependencies: ["RulesExercise"], swiftSettings: fuzzed, linkerSettings: linked),
  ],
  cxxLanguageStandard: .cxx17
)
