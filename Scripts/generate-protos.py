"""Generates the protobuf messages of google.firestore.v1 for Swift, and the descriptors that reflection serves.

    generate-protos.py PROTOC_GEN_SWIFT MESSAGES_FOLDER DESCRIPTORS_FOLDER
    generate-protos.py --descriptors DESCRIPTORS_FOLDER     descriptors alone; needs no code generator

Reads the descriptors that google-cloud-firestore registers when it is imported, gives the files the
names they have in googleapis, adds what the service knows and that package leaves out, and runs the
code generator as protoc would: one CodeGeneratorRequest in, one CodeGeneratorResponse out.
"""

import gzip
import importlib
import pathlib
import pkgutil
import subprocess
import sys

import google.cloud.firestore_v1.types as firestore_types
from google.api import annotations_pb2
from google.protobuf import descriptor_pb2, descriptor_pool, empty_pb2, text_format
from google.protobuf.compiler import plugin_pb2
from google.rpc import status_pb2
from google.type import latlng_pb2
from grpc_reflection.v1alpha import reflection_pb2

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


# The methods of the service: request, answer, how it streams, and its forms over HTTP.
# Source: docs/spec/protocol.md 1.2, 1.3.
UNARY, SERVER, BOTH = (False, False), (False, True), (True, True)
ROOT = "/v1/{%s=projects/*/databases/*}/documents:"
PARENTS = ("/v1/{parent=projects/*/databases/*/documents}:", "/v1/{parent=projects/*/databases/*/documents/*/**}:")
DOCUMENT = "projects/*/databases/*/documents/*/**}"
METHODS = [
    ("GetDocument", "GetDocumentRequest", "Document", UNARY, [("get", "/v1/{name=" + DOCUMENT, "")]),
    ("ListDocuments", "ListDocumentsRequest", "ListDocumentsResponse", UNARY, [
        ("get", "/v1/{parent=" + DOCUMENT + "/{collection_id}", ""),
        ("get", "/v1/{parent=projects/*/databases/*/documents}/{collection_id}", "")]),
    ("UpdateDocument", "UpdateDocumentRequest", "Document", UNARY, [
        ("patch", "/v1/{document.name=" + DOCUMENT, "document")]),
    ("DeleteDocument", "DeleteDocumentRequest", "google.protobuf.Empty", UNARY, [
        ("delete", "/v1/{name=" + DOCUMENT, "")]),
    ("BatchGetDocuments", "BatchGetDocumentsRequest", "BatchGetDocumentsResponse", SERVER, [
        ("post", ROOT % "database" + "batchGet", "*")]),
    ("BeginTransaction", "BeginTransactionRequest", "BeginTransactionResponse", UNARY, [
        ("post", ROOT % "database" + "beginTransaction", "*")]),
    ("Commit", "CommitRequest", "CommitResponse", UNARY, [("post", ROOT % "database" + "commit", "*")]),
    ("Rollback", "RollbackRequest", "google.protobuf.Empty", UNARY, [
        ("post", ROOT % "database" + "rollback", "*")]),
    ("RunQuery", "RunQueryRequest", "RunQueryResponse", SERVER, [
        ("post", place + "runQuery", "*") for place in PARENTS]),
    ("ExecutePipeline", "ExecutePipelineRequest", "ExecutePipelineResponse", SERVER, [
        ("post", ROOT % "database" + "executePipeline", "*")]),
    ("RunAggregationQuery", "RunAggregationQueryRequest", "RunAggregationQueryResponse", SERVER, [
        ("post", place + "runAggregationQuery", "*") for place in PARENTS]),
    ("PartitionQuery", "PartitionQueryRequest", "PartitionQueryResponse", UNARY, [
        ("post", place + "partitionQuery", "*") for place in PARENTS]),
    ("Write", "WriteRequest", "WriteResponse", BOTH, []),
    ("Listen", "ListenRequest", "ListenResponse", BOTH, []),
    ("ListCollectionIds", "ListCollectionIdsRequest", "ListCollectionIdsResponse", UNARY, [
        ("post", place + "listCollectionIds", "*") for place in PARENTS]),
    ("BatchWrite", "BatchWriteRequest", "BatchWriteResponse", UNARY, [
        ("post", ROOT % "database" + "batchWrite", "*")]),
    ("CreateDocument", "CreateDocumentRequest", "Document", UNARY, [
        ("post", "/v1/{parent=projects/*/databases/*/documents/**}/{collection_id}", "document")]),
]


def add_service(proto):
    """`service Firestore`, which the package's descriptors leave out."""
    service = proto.service.add(name="Firestore")
    for name, request, answer, (reads, sends), forms in METHODS:
        method = service.method.add(name=name)
        method.input_type = ".google.firestore.v1." + request
        method.output_type = "." + answer if "." in answer else ".google.firestore.v1." + answer
        if reads:
            method.client_streaming = True
        if sends:
            method.server_streaming = True
        for index, (verb, path, body) in enumerate(forms):
            rule = method.options.Extensions[annotations_pb2.http]
            if index:
                rule = rule.additional_bindings.add()
            setattr(rule, verb, path)
            rule.body = body
    for needed in ("google/api/annotations.proto", "google/protobuf/empty.proto"):
        if needed not in proto.dependency:
            proto.dependency.append(needed)


def renamed(proto, old, new):
    """The same file for a package that differs in its name alone."""
    text = text_format.MessageToString(proto)
    dotted, slashed = (old.replace("/", "."), new.replace("/", ".")), (old, new)
    for before, after in (dotted, slashed):
        text = text.replace(before + ".", after + ".").replace(before + "/", after + "/")
        text = text.replace('"%s"' % before, '"%s"' % after)
    if new.endswith("v1beta1"):
        text = text.replace('"/v1/', '"/v1beta1/')
    return text_format.Parse(text, descriptor_pb2.FileDescriptorProto())


def write_descriptors(output):
    """Every file that reflection serves, those of the old name of the service included."""
    messages = list(firestore_descriptors().values())
    wanted = messages + [annotations_pb2.DESCRIPTOR, empty_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR]
    files = {}
    for file in with_dependencies(sorted(wanted, key=lambda descriptor: descriptor.name)):
        proto = as_public_proto(file)
        if proto.name == PUBLIC_FOLDER + "firestore.proto":
            add_service(proto)
        if proto.package == "grpc.reflection.v1alpha":  # the package has a place of its own for it
            proto.name = "grpc/reflection/v1alpha/reflection.proto"
        files[proto.name] = proto
    for proto in list(files.values()):
        if proto.name.startswith(PUBLIC_FOLDER):
            old = renamed(proto, "google/firestore/v1", "google/firestore/v1beta1")
            for service in old.service:
                kept = [method for method in service.method if method.name != "ExecutePipeline"]
                del service.method[:]
                service.method.extend(kept)
            files[old.name] = old
        if proto.package == "grpc.reflection.v1alpha":
            new = renamed(proto, "grpc/reflection/v1alpha", "grpc/reflection/v1")
            files[new.name] = new

    pool = descriptor_pool.DescriptorPool()
    pending = dict(files)
    while pending:  # a pool takes a file after those it imports, and refuses what does not hold together
        ready = [name for name, proto in pending.items() if not any(d in pending for d in proto.dependency)]
        for name in sorted(ready):
            pool.Add(pending.pop(name))

    everything = descriptor_pb2.FileDescriptorSet(file=[files[name] for name in sorted(files)])
    path = output / "descriptors.binpb.gz"
    path.write_bytes(gzip.compress(everything.SerializeToString(deterministic=True), 9, mtime=0))
    print(f"{path}: {len(files)} files, {path.stat().st_size} bytes")


def main():
    if sys.argv[1] == "--descriptors":
        return write_descriptors(pathlib.Path(sys.argv[2]))
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
    write_descriptors(pathlib.Path(sys.argv[3]))


main()
