"""Edges in stores of objects: a server of S3, and servers that fail."""

from __future__ import annotations

import datetime
import gzip
import ipaddress
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from moto.server import ThreadedMotoServer
from object_server import ObjectServer

import outcrop as oc

Build = Callable[..., oc.Graph]
Put = Callable[..., str]

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    """The address of a server of S3."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def proxy(moto: str) -> Iterator[ObjectServer]:
    """A server in front of it, which can fail."""
    server = ObjectServer(upstream=moto)
    yield server
    server.close()


@pytest.fixture
def web() -> Iterator[ObjectServer]:
    """A server of files."""
    server = ObjectServer()
    yield server
    server.close()


@pytest.fixture
def put(moto: str, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts an object into a bucket, and gives its address."""
    import boto3

    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", moto)
    client = boto3.client("s3", endpoint_url=moto, region_name="us-east-1")
    client.create_bucket(Bucket="graphs")
    for entry in client.list_objects_v2(Bucket="graphs").get("Contents", []):
        client.delete_object(Bucket="graphs", Key=entry["Key"])

    def upload(key: str, content: bytes, **options: str) -> str:
        client.put_object(Bucket="graphs", Key=key, Body=content, **options)
        return f"s3://graphs/{key}"

    return upload


def contents(graph: oc.Graph) -> Any:
    """Contents of a store, but for its name and date."""
    manifest = json.loads((Path(graph.info()["store"]) / "manifest.json").read_text())
    return manifest["arc_hash"], oc.pagerank(graph, iterations=3).to_dict()


def random_edges(count: int, vertices: int = 5000) -> np.ndarray:
    """Edges drawn with a seed."""
    return np.random.default_rng(1).integers(0, vertices, (count, 2))


def as_text(edges: np.ndarray) -> bytes:
    """A line an edge."""
    return "".join(f"{source} {target}\n" for source, target in edges.tolist()).encode()


def as_table(edges: np.ndarray) -> pa.Table:
    """A table of edges."""
    return pa.table({"source": edges[:, 0], "target": edges[:, 1], "else": np.arange(len(edges))})


def test_real_edges_are_those_of_the_file(build: Build, put: Put, data: Path) -> None:
    file = data / "graphs" / "cit-HepPh.el.gz"
    packed = file.read_bytes()
    local = contents(build(file))
    assert contents(build(put("cit-HepPh.el.gz", packed))) == local
    assert contents(build(put("plain/cit-HepPh.el", gzip.decompress(packed)))) == local


@pytest.mark.parametrize("kind", ["txt", "txt.gz", "txt.zst", "parquet", "parquet.gzip", "feather", "bin", "graph"])
def test_every_format_is_that_of_the_file(build: Build, put: Put, tmp_path: Path, kind: str) -> None:
    edges, file = random_edges(200_000), tmp_path / f"edges.{kind}"
    if kind.startswith("txt"):
        text = as_text(edges)
        file.write_bytes(
            text if kind == "txt" else pa.compress(text, "gzip" if kind == "txt.gz" else "zstd", asbytes=True)
        )
    elif kind.startswith("parquet"):
        compression = "gzip" if kind == "parquet.gzip" else "snappy"
        file = tmp_path / f"{compression}.parquet"
        pa.parquet.write_table(
            as_table(edges), file, row_group_size=30_000, data_page_size=20_000, compression=compression
        )
    elif kind == "feather":
        pa.feather.write_feather(as_table(edges), file, chunksize=30_000)
    elif kind == "bin":
        oc.generate("uniform", file, vertices=5000, edges=200_000)
    else:
        file.write_text("3 3\n2 3\n1 3\n1 2\n")
    address = put(file.name, file.read_bytes())
    assert contents(build(address)) == contents(build(file))
    assert contents(build(address, memory="64MiB")) == contents(build(file))


def test_folders_and_patterns_are_their_objects(build: Build, put: Put, tmp_path: Path) -> None:
    parts = np.array_split(random_edges(9000), 3)
    for number, part in enumerate(parts):
        (tmp_path / f"part-{number}.csv").write_bytes(as_text(part))
        put(f"edges/part-{number}.csv", as_text(part))
    put("edges/_SUCCESS", b"")
    put("other/part-0.csv", b"1 2\n")
    local = contents(build(tmp_path / "part-*.csv"))
    assert contents(build("s3://graphs/edges/")) == local
    assert contents(build("s3://graphs/edges/part-?.csv")) == local
    assert contents(build([f"s3://graphs/edges/part-{number}.csv" for number in range(3)])) == local
    put("edges/deeper/x.csv", b"1 2\n")
    with pytest.raises(oc.UsageError, match="has the subfolder deeper"):
        build("s3://graphs/edges/")
    with pytest.raises(oc.UsageError, match="no file matches s3://graphs/edges/none-"):
        build("s3://graphs/edges/none-*.csv")
    with pytest.raises(oc.NotFoundError, match="end the address of a folder with /"):
        build("s3://graphs/edges")


def test_vertices_and_updates_are_read_as_well(build: Build, put: Put) -> None:
    graph = build(put("edges.csv", b"1 2\n2 3\n"), vertices=put("vertices.txt", b"7\n"))
    assert (graph.num_vertices, graph.num_edges) == (4, 2)
    graph.update(add=put("more.csv", b"3 1\n"))
    assert graph.num_edges == 3


def test_broken_connections_and_busy_servers_are_asked_again(
    build: Build, put: Put, proxy: ObjectServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    edges = random_edges(400_000)
    pa.parquet.write_table(as_table(edges), tmp_path / "edges.parquet", row_group_size=100_000)
    (tmp_path / "edges.txt").write_bytes(as_text(edges))
    addresses = [put(name, (tmp_path / name).read_bytes()) for name in ("edges.parquet", "edges.txt")]
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    proxy.fault = lambda number: {0: "503", 3: "cut"}.get(number % 8)
    for address in addresses:
        proxy.requests.clear()
        assert contents(build(address)) == contents(build(tmp_path / address.rpartition("/")[2]))
        assert len(proxy.requests) > 10


def test_a_broken_connection_goes_on_where_it_broke(build: Build, web: ObjectServer) -> None:
    text = as_text(random_edges(400_000))
    web.objects["/edges.txt"] = text
    web.fault = lambda number: "cut" if number == 5 else None
    assert build(f"{web.url}/edges.txt").num_edges == 400_000
    spans = [tuple(map(int, span.removeprefix("bytes=").split("-"))) for _, span in web.requests if span]
    cut = spans[4]
    again = [span for span in spans[5:] if span[1] == cut[1]]
    assert again == [(cut[0] + (cut[1] + 1 - cut[0]) // 2, cut[1])]
    assert sum(last + 1 - first for first, last in spans) < 1.1 * len(text) + 128 * 1024


def test_an_object_that_changes_is_refused(build: Build, web: ObjectServer) -> None:
    first, second = as_text(random_edges(400_000)), as_text(random_edges(400_001))
    for tags, cut in ((True, False), (False, False), (True, True)):
        web.objects["/edges.txt"], web.tags = first, tags
        begun = len(web.requests)

        def change(number: int, begun: int = begun, cut: bool = cut) -> str | None:
            if number == begun + 5:
                web.objects["/edges.txt"] = second
            return "cut" if cut and number == begun + 4 else None

        web.fault = change
        with pytest.raises(oc.OutcropIOError, match="edges.txt: it changed while it was read"):
            build(f"{web.url}/edges.txt")


def test_web_servers_are_read_with_their_queries(build: Build, web: ObjectServer, tmp_path: Path) -> None:
    edges = random_edges(100_000)
    pa.parquet.write_table(as_table(edges), tmp_path / "edges.parquet")
    web.objects["/a folder/edges.parquet"] = (tmp_path / "edges.parquet").read_bytes()
    graph = build(f"{web.url}/a%20folder/edges.parquet?signature=secret")
    assert contents(graph) == contents(build(tmp_path / "edges.parquet"))
    assert all(path == "/a%20folder/edges.parquet?signature=secret" for path, _ in web.requests)
    web.ranges = False
    with pytest.raises(oc.OutcropIOError, match="does not support byte ranges; download it first") as refused:
        build(f"{web.url}/a%20folder/edges.parquet?signature=secret")
    assert "secret" not in str(refused.value)
    with pytest.raises(oc.UsageError, match="web servers do not list folders"):
        build(f"{web.url}/edges/")


def self_signed(folder: Path) -> Path:
    """A certificate of this machine, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "outcrop's tests")])
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
        now + datetime.timedelta(days=1)
    )
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "certificate.pem"
    path.write_bytes(key.private_bytes(*plain) + signed.public_bytes(serialization.Encoding.PEM))
    return path


def test_encrypted_servers_are_read_and_have_to_be_trusted(
    build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = self_signed(tmp_path)
    server = ObjectServer(certificate=certificate)
    server.objects["/edges.txt"] = as_text(random_edges(100_000))
    with pytest.raises(oc.OutcropIOError, match="[Cc]ertificate"):
        build(f"{server.url}/edges.txt")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert build(f"{server.url}/edges.txt").num_edges == 100_000
    server.close()


def test_what_is_asked_for_encrypted_is_not_read_from_a_redirect_that_is_not(
    build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, web: ObjectServer
) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = ObjectServer(certificate=certificate)
    server.fault = lambda _: web.url
    web.objects["/edges.txt"] = as_text(random_edges(1000))
    with pytest.raises(oc.OutcropIOError, match="unencrypted http://"):
        build(f"{server.url}/edges.txt")
    assert not web.requests
    server.close()


def test_secrets_of_addresses_are_not_shown(build: Build, web: ObjectServer) -> None:
    address = web.url.replace("://", "://user:hidden@") + "/gone.txt?sig=hidden"
    with pytest.raises(oc.NotFoundError) as failed:
        build(address)
    assert "hidden" not in f"{failed.value!r} {failed.value} {vars(failed.value)}"


def test_google_storage_is_read(build: Build, web: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_BASE_URL", web.url)
    monkeypatch.setenv("GOOGLE_SKIP_SIGNATURE", "true")
    monkeypatch.setenv("GOOGLE_ALLOW_HTTP", "true")
    web.objects["/graphs/edges.csv"] = b"1 2\n2 3\n"
    assert build("gs://graphs/edges.csv").num_edges == 2


def test_an_object_without_bytes_is_empty(build: Build, put: Put, web: ObjectServer) -> None:
    web.objects["/empty.csv"] = b""
    for address in (put("empty.csv", b""), f"{web.url}/empty.csv"):
        assert build([address, put("one.csv", b"1 2\n")]).num_edges == 1


def test_refusals_say_what_to_do(
    build: Build, put: Put, proxy: ObjectServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    address = put("edges.csv", b"1 2\n")
    with pytest.raises(oc.NotFoundError, match="s3://graphs/none.csv does not exist"):
        build("s3://graphs/none.csv")
    with pytest.raises(oc.OutcropIOError, match="the bucket does not exist"):
        build("s3://no-such-bucket/edges.csv")
    with pytest.raises(oc.UsageError, match="unsupported address; use s3://"):
        build("ftp://graphs/edges.csv")
    with pytest.raises(oc.UsageError, match="pass a string"):
        build(Path(address))
    monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
    for fault, expected in (
        ("403", "access denied .AccessDenied.*AWS_ACCESS_KEY_ID"),
        ("301", "another region .*AWS_REGION"),
    ):
        proxy.fault = lambda _, fault=fault: fault  # type: ignore[misc]
        with pytest.raises(oc.OutcropIOError, match=expected):
            build(address)
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    with pytest.raises(oc.OutcropIOError, match="AWS_ALLOW_HTTP=true"):
        build(address)
    with pytest.raises(oc.UsageError, match="on a local disk"):
        oc.build(tmp_path / "edges.csv", "s3://graphs/store.outcrop")


def test_no_credentials_are_missed(build: Build, monkeypatch: pytest.MonkeyPatch, put: Put) -> None:
    address = put("edges.csv", b"1 2\n", ACL="public-read")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    # Where nothing answers for the credentials of a machine.
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(oc.OutcropIOError, match="no credentials"):
        build(address)
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")
    assert build(address).num_edges == 1
