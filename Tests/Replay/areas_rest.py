"""What only HTTP can say: paths, parameters, broken bodies, headers."""
from case import Area, integer

BASE = "/v1/projects/{project}/databases/(default)/documents"
rest = Area("rest")
rest.put("rest/a", {"n": integer(1)})
rest.put("rest/a/sub/b", {})
for path in ("", "/", "/rest", "/rest/", "/rest/a", "/rest/a/", "/rest/a/sub", "/rest/a/sub/", "//a", "//", "/rest//", "/rest%2Fa", "/rest/a%2Fb",
             "/rest/a%2Fb/c", "/rest/a:runQuery", "/rest/a:b", "/rest/none", "/rest/a?", "/rest/a?x=1", "/rest/a?key=abc",
             "/rest/a?alt=json", "/rest/a?$alt=json", "/rest/a?$alt=proto", "/rest/a?prettyPrint=false", "/rest/a?fields=name",
             "/rest/a?fields=fields", "/rest/a?$fields=name", "/rest/a?%24httpHeaders=x", "/rest/a?mask.fieldPaths=n&mask.fieldPaths=m",
             "/rest/a?mask.field_paths=n", "/rest/a?mask=n", "/rest/a?mask.fieldPaths=", "/rest?pageSize=1", "/rest?page_size=1",
             "/rest?pageSize=1&pageSize=2", "/rest?showMissing=true", "/rest?showMissing=maybe", "/rest?orderBy=n%20desc", "/rest?orderBy=n+desc",
             "/rest?pageToken=garbage", "/rest/a?access_token=x", "/rest/a?callback=f", "/rest/a?quotaUser=x"):
    rest.raw("GET", BASE + path)
for path in ("/rest/%zz", "/rest/%", "/rest/a?transaction=AAAA", "/rest?pageSize=abc"):
    rest.raw("GET", BASE + path, hangs=True)
for method in ("PUT", "HEAD", "OPTIONS"):
    rest.raw(method, BASE + "/rest/a")
for method, path in (("GET", ":runQuery"), ("PUT", ":runQuery"), ("POST", ":nope"), ("POST", ":write"), ("POST", ":listen"),
                     ("POST", "/rest/a:commit"), ("POST", "/rest:runQuery"), ("POST", "/rest/a:runQuery"), ("POST", "/rest/a"),
                     ("PATCH", "/rest"), ("DELETE", "/rest"), ("POST", "/rest/a:listCollectionIds"), ("POST", "/rest:listCollectionIds"),
                     ("DELETE", "/rest/x?currentDocument.exists=true"), ("DELETE", "/rest/x?currentDocument.exists=false"),
                     ("DELETE", "/rest/x?currentDocument.updateTime=2020-01-01T00:00:00Z"), ("DELETE", "/rest/x"), ("PATCH", "/rest/p"),
                     ("PATCH", "/rest/p?updateMask.fieldPaths=a&updateMask.fieldPaths=b"), ("PATCH", "/rest/p?currentDocument.exists=false")):
    rest.raw(method, BASE + path, {} if method in ("POST", "PATCH", "PUT") else None)
for version in ("/v1beta1", "/v2", "/v1alpha", ""):
    rest.raw("GET", version + "/projects/{project}/databases/(default)/documents/rest/a")
    rest.raw("POST", version + "/projects/{project}/databases/(default)/documents:runQuery", {"structuredQuery": {"from": [{"collectionId": "rest"}]}})
for path in ("/v1", "/v1/projects", "/v1/projects/{project}", "/v1/projects/{project}/databases", "/v1/projects/{project}/databases/(default)", "/",
             "/nothing", "/favicon.ico"):
    rest.raw("GET", path)

bodies = Area("bodies")
QUERY = BASE + ":runQuery"
for body in ("", "{", "[]", "null", "1", "\"x\"", "{}", "{\"bad\":1}", "{\"structuredQuery\":1}", "{\"structuredQuery\":[]}", "{\"structuredQuery\":null}",
             "{\"structuredQuery\":{\"from\":{}}}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":1}]}}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],}}",
             "{\"structured_query\":{\"from\":[{\"collection_id\":\"rest\"}]}}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\",\"allDescendants\":\"yes\"}]}}",
             "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"limit\":\"1\"}}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"limit\":{\"value\":1}}}",
             "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"limit\":1.5}}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"limit\":1.0}}",
             "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"limit\":3000000000}}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"orderBy\":[{\"field\":{\"fieldPath\":\"n\"},\"direction\":\"UP\"}]}}",
             "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}],\"orderBy\":[{\"field\":{\"fieldPath\":\"n\"},\"direction\":2}]}}",
             "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}]},\"transaction\":\"%%\"}",
             "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}]},\"readTime\":\"x\"}", "{\"structuredQuery\":{\"from\":[{\"collectionId\":\"rest\"}]}} trailing", "\ufeff{}", "{'a':1}", "nonsense"):
    bodies.raw("POST", QUERY, body.encode())
bodies.raw("POST", QUERY, b"\xff\xfe")
bodies.raw("POST", QUERY, b"{\"structuredQuery\":{\"from\":[{\"collectionId\":\"\xff\"}]}}")
# By the id of the document that a value is written to.
VALUE_OF = {}
for number, value in enumerate(("{\"integerValue\":1}", "{\"integerValue\":\"1\"}", "{\"integerValue\":1.0}", "{\"integerValue\":1.5}", "{\"integerValue\":\"x\"}", "{\"integerValue\":\"9223372036854775808\"}",
              "{\"integerValue\":9007199254740993}", "{\"integerValue\":1e3}", "{\"doubleValue\":\"1.5\"}", "{\"doubleValue\":\"NaN\"}", "{\"doubleValue\":1e400}", "{\"doubleValue\":\"x\"}",
              "{\"doubleValue\":-0.0}", "{\"booleanValue\":\"true\"}", "{\"booleanValue\":1}", "{\"stringValue\":1}", "{\"stringValue\":null}", "{\"nullValue\":null}", "{\"nullValue\":\"NULL_VALUE\"}",
              "{\"nullValue\":0}", "{\"nullValue\":1}", "{\"bytesValue\":\"-_-_\"}", "{\"bytesValue\":\"+/+/\"}", "{\"bytesValue\":\"A\"}", "{\"bytesValue\":\"%\"}", "{\"bytesValue\":\"AQ\"}",
              "{\"timestampValue\":\"2020-01-01T00:00:00Z\"}", "{\"timestampValue\":\"2020-01-01T00:00:00.123456789+02:00\"}", "{\"timestampValue\":\"2020-01-01\"}", "{\"timestampValue\":\"x\"}",
              "{\"timestampValue\":\"0000-01-01T00:00:00Z\"}", "{\"timestampValue\":\"10000-01-01T00:00:00Z\"}", "{\"timestampValue\":\"2020-13-01T00:00:00Z\"}", "{\"timestampValue\":1}",
              "{\"geoPointValue\":{}}", "{\"geoPointValue\":{\"latitude\":\"1\"}}", "{\"geoPointValue\":{\"x\":1}}", "{\"arrayValue\":{}}", "{\"arrayValue\":[]}", "{\"mapValue\":{}}", "{\"mapValue\":{\"fields\":[]}}",
              "{\"referenceValue\":\"\"}", "{}", "{\"x\":1}", "{\"integerValue\":1,\"stringValue\":\"x\"}", "{\"integer_value\":1}", "{\"stringValue\":\"\\ud800\"}", "{\"stringValue\":\"\\u0000\"}", "1", "null", "[]",
              "{\"integerValue\":\"1.0\"}", "{\"integerValue\":\"1e3\"}", "{\"integerValue\":\" 1\"}", "{\"integerValue\":\"+1\"}", "{\"integerValue\":true}", "{\"booleanValue\":\"yes\"}",
              "{\"booleanValue\":\"TRUE\"}", "{\"booleanValue\":2}", "{\"doubleValue\":\" 1\"}", "{\"doubleValue\":true}", "{\"bytesValue\":1234}", "{\"stringValue\":1.50}", "{\"stringValue\":true}",
              "{\"nullValue\":\"null_value\"}", "{\"nullValue\":\"0\"}", "{\"nullValue\":7}", "{\"timestampValue\":\"2020-01-01t00:00:00z\"}", "{\"timestampValue\":\"2020-01-01 00:00:00Z\"}",
              "{\"timestampValue\":\"2020-01-01T00:00:00+0200\"}", "{\"timestampValue\":{\"seconds\":1}}", "{\"timestampValue\":\"2020-01-01T00:00:00.1234567891Z\"}",
              "{\"geoPointValue\":{\"latitude\":\"1.5\"}}", "{\"arrayValue\":{\"values\":{\"stringValue\":\"x\"}}}", "{\"arrayValue\":{\"values\":[null]}}", "{\"arrayValue\":{\"values\":[[{\"stringValue\":\"x\"}]]}}",
              "{\"mapValue\":{\"fields\":{\"a\":null}}}", "{\"mapValue\":{\"fields\":{\"a\":{\"stringValue\":\"x\"},\"a\":{\"stringValue\":\"y\"}}}}", "{'stringValue':'x'}", "{stringValue:\"x\"}",
              "{\"stringValue\":\"\\q\"}", "{\"integerValue\":\"1\",\"integerValue\":\"2\"}", "{\"integerValue\":null,\"stringValue\":\"x\"}", "{\"stringValue\":\"x\",}",
              "{\"arrayValue\":{\"values\":[{\"stringValue\":\"x\"},]}}", "{\"stringValue\":\"a\nb\"}", "{\"stringValue\":\"\\ud83d\\ude00\"}", "{\"booleanValue\":0}", "{\"doubleValue\":1.}",
              "/*c*/{\"stringValue\":\"x\"}", "{\"stringValue\"=\"x\"}", "{\"integerValue\":01}", "{\"stringValue\":abc}", "{\"doubleValue\":NaN}", "{\"doubleValue\":.5}")):
    VALUE_OF[f"v{number}"] = value
    bodies.raw("PATCH", BASE + f"/bodies/v{number}", ("{\"fields\":{\"v\":" + value + "}}").encode())
    bodies.raw("GET", BASE + f"/bodies/v{number}")
bodies.raw("PATCH", BASE + "/bodies/d", {"name": "x", "fields": {}}, hangs=True)
bodies.raw("POST", BASE + "/bodies?documentId=e", {"name": "x", "fields": {}})
bodies.raw("POST", QUERY, {"structuredQuery": {"from": [{"collectionId": "rest"}]}, "parent": "x"}, hangs=True)
bodies.raw("POST", BASE + ":listCollectionIds", {"parent": "x"}, hangs=True)
for body in ("{\"fields\":null}", "{\"fields\":[]}", "{\"createTime\":\"2020-01-01T00:00:00Z\"}", "{\"x\":1}", "{\"fields\":{\"a\":{\"nullValue\":null},\"a\":{\"integerValue\":1}}}"):
    bodies.raw("PATCH", BASE + "/bodies/d", body.encode())
    bodies.raw("POST", BASE + "/bodies?documentId=e", body.encode())
for verb in ("batchGet", "beginTransaction", "commit", "rollback", "batchWrite", "listCollectionIds", "runAggregationQuery"):
    for body in (b"", b"{}", b"[]", b"{\"x\":1}", b"{"):
        if verb == "listCollectionIds" and body in (b"", b"{}"):
            continue
        bodies.raw("POST", BASE + ":" + verb, body)
bodies.raw("POST", BASE + ":commit", {"writes": [{"delete": "x", "update": {"name": "y"}}]})
bodies.raw("POST", BASE + ":beginTransaction", {"options": {"readOnly": {}, "readWrite": {}}})
bodies.raw("POST", QUERY, {"structuredQuery": {"from": [{"collectionId": "rest"}]}, "transaction": "AAAA", "newTransaction": {}})
for kind in ("text/plain", "application/json", "application/x-www-form-urlencoded", "application/octet-stream"):
    bodies.raw("POST", QUERY, {"structuredQuery": {"from": [{"collectionId": "none"}]}}, headers={"Content-Type": kind})

headers = Area("http headers")
CORS = ("access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods", "access-control-allow-headers",
        "access-control-allow-private-network", "content-encoding")
for method in ("GET", "OPTIONS", "DELETE", "PUT"):
    for path in (BASE + "/rest/none", "/", "/nothing"):
        for more in ({}, {"Origin": "http://localhost:5000"}, {"Origin": "null"},
                     {"Origin": "http://a.b", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-a, authorization"},
                     {"Origin": "http://a.b", "Access-Control-Request-Private-Network": "true"}, {"Access-Control-Request-Headers": "x"}):
            headers.raw(method, path, headers=more, wants_headers=CORS)
for more in ({"Accept-Encoding": "gzip"}, {"X-HTTP-Method-Override": "DELETE"}, {"X-HTTP-Method-Override": "GET"}, {"Accept": "text/html"}):
    headers.raw("POST", BASE + ":runQuery", {"structuredQuery": {"from": [{"collectionId": "rest"}]}}, headers=more, wants_headers=CORS)
    headers.raw("GET", BASE + "/rest/a", headers=more, wants_headers=CORS)

AREAS = [rest, bodies, headers]
