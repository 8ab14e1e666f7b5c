// swift-tools-version: 6.2
// The fuzz targets, apart from the main package so that every module in them is instrumented.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The sanitizers instrument our Swift only; what swift-crypto wraps is not ours to fuzz.
let fuzzed = strict + [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]

let package = Package(
  name: "Fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.0")],
  targets: [
    .target(
      name: "DocModel", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: fuzzed),
    .target(name: "WireExercise", dependencies: ["DocModel"], swiftSettings: fuzzed),
    .executableTarget(
      name: "WireCursorFuzz", dependencies: ["WireExercise"], swiftSettings: fuzzed,
      // The driver is linked for its loop; its main gives way to ours.
      linkerSettings: [
        .unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld", "-Xlinker", "--allow-multiple-definition"])
      ]),
  ]
)
