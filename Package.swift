// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is compiled alike: Swift 6 mode and the upcoming features of the house style.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "DocStore",
  products: [
    .executable(name: "docsh", targets: ["docsh"]),
    .library(name: "DocModel", targets: ["DocModel"]),
    .library(name: "DocStore", targets: ["DocStore"]),
    .library(name: "EngineLMDB", targets: ["EngineLMDB"]),
    .library(name: "Rules", targets: ["Rules"]),
    .library(name: "RulesTools", targets: ["RulesTools"]),
    .library(name: "Access", targets: ["Access"]),
    .library(name: "Seeder", targets: ["Seeder"]),
    .library(name: "Triggers", targets: ["Triggers"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
  ],
  targets: [
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CZLIB", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CBuild"),
    .target(name: "CProcess"),
    .target(name: "CGuard"),
    .target(name: "CDiagnosticPages"),
    .target(name: "CPQ", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CDescriptors", exclude: ["descriptors.binpb.gz"]),
    .systemLibrary(name: "CChecksum"),
    .systemLibrary(name: "COpenSSL"),
    .target(name: "CDigest", linkerSettings: [.linkedLibrary("md")]),
    .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),

    .target(name: "JSON", swiftSettings: strict),
    .target(name: "Platform", dependencies: ["CDigest"], swiftSettings: strict),
    .target(
      name: "DocModel",
      dependencies: ["CChecksum", "Platform"],
      swiftSettings: strict),
    .target(
      name: "DocStore",
      dependencies: [
        "DocModel", "JSON", "Platform",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: strict),
    .target(
      name: "EngineLMDB", dependencies: ["CGuard", "CLMDB", "CProcess", "DocModel", "DocStore", "Platform"],
      swiftSettings: strict),
    .target(
      name: "EnginePostgres", dependencies: ["CPQ", "DocModel", "DocStore", "EngineLMDB", "Platform"],
      swiftSettings: strict),
    .target(
      name: "Rules",
      dependencies: ["CRE2", "DocModel", "JSON", "Platform"],
      swiftSettings: strict),
    .target(
      name: "RulesTools", dependencies: ["DocModel", "JSON", "Platform", "Rules"], swiftSettings: strict),
    .target(
      name: "Indexes", dependencies: ["DocModel", "DocStore", "JSON", "Platform"], swiftSettings: strict),
    .target(
      name: "Access", dependencies: ["DocModel", "DocStore", "Indexes", "Platform", "Rules"],
      swiftSettings: strict),
    .target(
      name: "Telemetry",
      dependencies: [
        "DocModel", "DocStore", "JSON", "Platform",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "TLS",
      dependencies: [
        "COpenSSL", "Platform",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .target(name: "Exports", dependencies: ["DocModel", "DocStore", "Platform"], swiftSettings: strict),
    .target(
      name: "Faults", dependencies: ["Access", "DocModel", "DocStore", "JSON", "Platform", "Rules"],
      swiftSettings: strict),
    .target(
      name: "Requests", dependencies: ["Access", "DocModel", "DocStore", "Indexes", "JSON", "Rules"],
      swiftSettings: strict),
    .target(
      name: "Wire",
      dependencies: [
        "Access", "CDescriptors", "CNGHTTP2", "CProcess", "CZLIB", "DocModel", "DocStore", "Exports",
        "Faults", "Indexes",
        "JSON", "Platform", "Requests", "Rules", "TLS", "Telemetry",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .target(name: "Triggers", dependencies: ["DocModel", "DocStore", "Platform"], swiftSettings: strict),
    .target(
      name: "Packs",
      dependencies: ["DocModel", "DocStore", "Platform", "Triggers"],
      swiftSettings: strict),
    .target(
      name: "Client",
      dependencies: [
        "CNGHTTP2", "DocModel", "DocStore", "Platform", "TLS",
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .target(
      name: "Functions",
      dependencies: [
        "Access", "Client", "DocModel", "DocStore", "JSON", "Platform", "TLS", "Triggers", "YAML",
      ],
      swiftSettings: strict),
    .target(name: "YAML", dependencies: ["CYAML", "JSON", "Platform"], swiftSettings: strict),
    .target(name: "Fixtures", dependencies: ["DocModel", "Platform", "YAML"], swiftSettings: strict),
    .target(
      name: "Seeder",
      dependencies: ["DocModel", "DocStore", "Fixtures", "JSON", "Platform", "YAML"],
      swiftSettings: strict),
    .target(
      name: "Conditions", dependencies: ["DocModel", "DocStore", "YAML"], swiftSettings: strict),
    .target(
      name: "Suite",
      dependencies: [
        "Access", "Client", "Conditions", "DocModel", "DocStore", "EngineLMDB", "Fixtures", "JSON",
        "Platform", "Rules", "RulesTools", "YAML",
      ],
      swiftSettings: strict),
    .target(
      name: "WireExercise", dependencies: ["DocModel"], path: "Fuzz/Sources/WireExercise",
      swiftSettings: strict),
    .target(
      name: "RulesExercise", dependencies: ["DocModel", "Rules", "RulesTools"],
      path: "Fuzz/Sources/RulesExercise",
      swiftSettings: strict),
    .executableTarget(
      name: "rules-crasher", dependencies: ["RulesExercise"], path: "Fuzz/Sources/RulesCrasher",
      swiftSettings: strict),
    .target(
      name: "Shell",
      dependencies: [
        "Access", "Client", "Conditions", "DocModel", "DocStore", "EngineLMDB", "Faults", "Indexes", "JSON",
        "Platform", "Requests", "Rules", "RulesTools", "YAML",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "docsh",
      dependencies: [
        "Access", "CBuild", "CDiagnosticPages", "Client", "CProcess", "DocModel", "DocStore", "EngineLMDB",
        "EnginePostgres", "Exports", "Fixtures", "Functions", "Indexes", "JSON", "Packs", "Platform",
        "Requests", "Rules",
        "RulesTools", "Seeder",
        "Shell", "Suite", "Telemetry", "Triggers", "Wire", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "docstore-bench",
      dependencies: [
        "Access", "CNGHTTP2", "DocModel", "DocStore", "EngineLMDB", "Platform", "Rules", "RulesTools", "Wire",
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Benchmarks", exclude: ["budgets.txt", "policy_engines.py", "requirements.txt"],
      swiftSettings: strict),

    .executableTarget(
      name: "storage-crasher",
      dependencies: ["DocModel", "DocStore", "EngineLMDB", "EnginePostgres", "Platform"],
      path: "Tests/StorageCrasher",
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["DocStore", "Platform"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
    .testTarget(
      name: "DocModelTests", dependencies: ["DocModel", "Platform", "WireExercise"], exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "EngineConformanceTests",
      dependencies: ["DocModel", "DocStore", "EngineLMDB", "EnginePostgres", "Platform", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DocStoreTests",
      dependencies: ["DocModel", "DocStore", "EngineLMDB", "Indexes", "JSON", "Platform", "TestSupport"],
      swiftSettings: strict),
    .target(
      name: "RulesFuzzing", dependencies: ["DocModel", "Platform", "Rules"],
      path: "Tests/RulesFuzzer/Fuzzing",
      swiftSettings: strict),
    .executableTarget(
      name: "rules-fuzzer", dependencies: ["Platform", "RulesFuzzing"], path: "Tests/RulesFuzzer/Program",
      swiftSettings: strict),
    .testTarget(
      name: "RulesTests", dependencies: ["CDiagnosticPages", "DocModel", "Platform", "Rules", "RulesTools"],
      swiftSettings: strict),
    .target(
      name: "AllocationCounter", path: "Tests/AllocationCounter", linkerSettings: [.linkedLibrary("dl")]),
    .testTarget(
      name: "RulesAllocationTests", dependencies: ["AllocationCounter", "DocModel", "Rules"],
      swiftSettings: strict),
    .testTarget(
      name: "RulesFuzzingTests", dependencies: ["DocModel", "Rules", "RulesFuzzing"], swiftSettings: strict),
    .testTarget(name: "RulesExerciseTests", dependencies: ["RulesExercise"], swiftSettings: strict),
    .testTarget(
      name: "CoverageTests",
      dependencies: ["Access", "DocModel", "DocStore", "Rules", "RulesTools", "Suite", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "AccessTests",
      dependencies: [
        "Access", "DocModel", "DocStore", "Indexes", "Platform", "Rules", "RulesTools", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TelemetryTests",
      dependencies: [
        "DocStore", "Telemetry", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TLSTests",
      dependencies: [
        "COpenSSL", "TLS", "TestSupport",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ExportsTests", dependencies: ["DocModel", "DocStore", "Exports", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "DocshTests",
      dependencies: [
        "Access", "Client", "DocModel", "docsh", "DocStore", "EngineLMDB", "Indexes", "Rules", "Seeder",
        "TestSupport", "Triggers", "Wire", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ShellTests",
      dependencies: [
        "Access", "Client", "Conditions", "DocModel", "docsh", "DocStore", "EngineLMDB", "Faults", "Indexes",
        "Platform", "Requests", "Rules", "RulesTools", "Shell", "Suite", "TestSupport", "Wire",
      ],
      swiftSettings: strict),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "Client",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: strict),
    .testTarget(name: "YAMLTests", dependencies: ["YAML"], swiftSettings: strict),
    .testTarget(
      name: "SeederTests",
      dependencies: [
        "DocModel", "DocStore", "EngineLMDB", "Fixtures", "Seeder", "YAML",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SuiteTests",
      dependencies: [
        "Access", "Conditions", "DocModel", "DocStore", "EngineLMDB", "Fixtures", "JSON", "Platform", "Rules",
        "RulesTools", "Suite", "YAML",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TriggersTests",
      dependencies: ["DocModel", "DocStore", "EngineLMDB", "Packs", "Platform", "TestSupport", "Triggers"],
      swiftSettings: strict),
    .testTarget(
      name: "FunctionsTests",
      dependencies: [
        "Client", "DocModel", "DocStore", "EngineLMDB", "Functions", "JSON", "Platform", "TLS", "TestSupport",
        "Triggers", "Wire", "YAML",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: strict),
    // The oracle of our own readers and writers of messages.
    .target(
      name: "FirestoreProtos",
      dependencies: [
        .product(name: "SwiftProtobuf", package: "swift-protobuf")
      ],
      path: "Tests/FirestoreProtos", swiftSettings: strict),
    .testTarget(
      name: "WireTests",
      dependencies: [
        "Access", "CNGHTTP2", "CZLIB", "DocModel", "DocStore", "Faults", "FirestoreProtos", "Indexes", "JSON",
        "Platform", "Requests", "Rules", "RulesTools", "TLS", "Telemetry", "TestSupport", "Wire",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
