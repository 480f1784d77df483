// swift-tools-version:5.5
import PackageDescription

let package = Package(
    name: "tasks",
    targets: [
        .target(name: "Tasks"),
        .executableTarget(name: "tasks-cli", dependencies: ["Tasks"]),
        .testTarget(name: "TasksTests", dependencies: ["Tasks"]),
    ]
)
