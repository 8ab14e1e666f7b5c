"""Generates the protobuf messages of google.firestore.v1 for Swift.

    generate-protos.py PROTOC_GEN_SWIFT OUTPUT_FOLDER

Reads the descriptors that google-cloud-firestore registers when it is imported, gives the files the
names they have in googleapis, adds what the service knows and that package leaves out, and runs the
code generator as protoc would: one CodeGeneratorRequest in, one CodeGeneratorResponse out.
"""

import importlib
import pathlib
import pkgutil
import subprocess
import sys

import google.cloud.firestore_v1.types as firestore_types
from google.protobuf import descriptor_pb2
from google.protobuf.compiler import plugin_pb2
from google.rpc import status_pb2
from google.type import latlng_pb2

PACKAGE_FOLDER = "google/cloud/firestore_v1/types/"
PUBLIC_FOLDER = "google/firestore/v1/"
OPTIONS = "Visibility=Package,FileNaming=DropPath,UseAccessLevelOnImports=true"


def firestore_descriptors():
    """Every file descriptor of google.firestore.v1, by the name it has inside the package."""
    files = {}
    for module in pkgutil.iter_modules(firestore_types.__path__):
        loaded = importlib.import_module(f"{firestore_types.__name__}.{module.name}")
        for value in vars(loaded).values():
            if hasattr(value, "pb") and hasattr(value, "meta"):
                descriptor = value.pb().DESCRIPTOR.file
                if descriptor.name.startswith(PACKAGE_FOLDER):
                    files[descriptor.name] = descriptor
    return files


def public_name(name):
    return name.replace(PACKAGE_FOLDER, PUBLIC_FOLDER)


def as_public_proto(descriptor):
    proto = descriptor_pb2.FileDescriptorProto()
    descriptor.CopyToProto(proto)
    proto.name = public_name(proto.name)
    proto.dependency[:] = [public_name(name) for name in proto.dependency]
    if proto.name == PUBLIC_FOLDER + "write.proto":
        add_verify(proto)
    for message in proto.message_type:
        complete_names(message)
    return proto


def complete_names(message):
    """protoc names every field for JSON before it calls a generator; descriptors at rest leave it out.

    The package also puts an underscore behind names that are words of Python.
    """
    for field in message.field:
        field.name = field.name.rstrip("_")
        if not field.HasField("json_name"):
            head, *rest = field.name.split("_")
            field.json_name = head + "".join(part[:1].upper() + part[1:] for part in rest)
    for nested in message.nested_type:
        complete_names(nested)


def add_verify(proto):
    """`Write.verify`, a string with number 5 in `operation`: web and mobile SDKs send it."""
    write = next(message for message in proto.message_type if message.name == "Write")
    if any(field.number == 5 for field in write.field):
        return
    operation = [oneof.name for oneof in write.oneof_decl].index("operation")
    Field = descriptor_pb2.FieldDescriptorProto
    write.field.add(
        name="verify", json_name="verify", number=5, oneof_index=operation,
        type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)


def with_dependencies(roots):
    """The files in an order in which every file follows those it imports."""
    ordered, seen = [], set()

    def visit(descriptor):
        if descriptor.name in seen:
            return
        seen.add(descriptor.name)
        for dependency in descriptor.dependencies:
            visit(dependency)
        ordered.append(descriptor)

    for root in roots:
        visit(root)
    return ordered


def main():
    generator, output = sys.argv[1], pathlib.Path(sys.argv[2])
    wanted = list(firestore_descriptors().values()) + [status_pb2.DESCRIPTOR, latlng_pb2.DESCRIPTOR]
    wanted.sort(key=lambda descriptor: descriptor.name)

    request = plugin_pb2.CodeGeneratorRequest(parameter=OPTIONS)
    request.compiler_version.major, request.compiler_version.minor = 6, 30
    request.proto_file.extend(as_public_proto(file) for file in with_dependencies(wanted))
    request.file_to_generate.extend(public_name(file.name) for file in wanted)

    answer = subprocess.run([generator], input=request.SerializeToString(), stdout=subprocess.PIPE, check=True)
    response = plugin_pb2.CodeGeneratorResponse.FromString(answer.stdout)
    if response.error:
        sys.exit(f"generate-protos: {response.error}")

    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("*.pb.swift"):
        old.unlink()
    for file in response.file:
        (output / file.name).write_text(file.content)
        print(f"{output / file.name}: {file.content.count(chr(10))} lines")


main()
