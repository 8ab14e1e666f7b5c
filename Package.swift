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
    .library(name: "Access", targets: ["Access"]),
    .library(name: "Seeder", targets: ["Seeder"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
  ],
  targets: [
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),

    .target(
      name: "DocModel", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: strict),
    .target(
      name: "DocStore",
      dependencies: ["DocModel", .product(name: "DequeModule", package: "swift-collections")],
      swiftSettings: strict),
    .target(name: "EngineLMDB", dependencies: ["DocModel", "DocStore", "CLMDB"], swiftSettings: strict),
    .target(
      name: "Rules", dependencies: ["DocModel", "CRE2", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: strict),
    .target(name: "Access", dependencies: ["DocModel", "DocStore", "Rules"], swiftSettings: strict),
    .target(
      name: "Wire",
      dependencies: [
        "DocModel", "DocStore", "Rules", "Access", "CNGHTTP2",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(name: "YAML", dependencies: ["CYAML"], swiftSettings: strict),
    .target(name: "Fixtures", dependencies: ["DocModel", "YAML"], swiftSettings: strict),
    .target(name: "Seeder", dependencies: ["DocModel", "DocStore", "Fixtures", "YAML"], swiftSettings: strict),
    .target(name: "WireExercise", dependencies: ["DocModel"], path: "Fuzz/Sources/WireExercise", swiftSettings: strict),
    .executableTarget(
      name: "docsh",
      dependencies: [
        "DocModel", "DocStore", "Rules", "Wire", "Access", "EngineLMDB", "Seeder", "YAML",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
