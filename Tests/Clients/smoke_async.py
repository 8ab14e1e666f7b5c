"""The asynchronous client: the same calls over grpc.aio."""
import asyncio

from google.api_core import exceptions
from google.cloud import firestore

from checks import Checks, fresh

checks = Checks()


def with_client(function):
    """Runs an async check with a client of its own (a client belongs to one event loop)."""
    def run(project):
        async def session():
            client = firestore.AsyncClient(project=project)
            try:
                await asyncio.wait_for(function(client), 60)
            finally:
                client.close()
        asyncio.run(session())
    return run


@checks("async: set, get, update, delete")
@with_client
async def documents(db):
    document = db.document(f"{fresh('async')}/one")
    await document.set({"n": 1, "at": firestore.SERVER_TIMESTAMP})
    await document.update({"n": firestore.Increment(1)})
    snapshot = await document.get()
    assert snapshot.exists and snapshot.get("n") == 2
    await document.delete()
    assert not (await document.get()).exists


@checks("async: fifty writes at once, then a query")
@with_client
async def many(db):
    collection = db.collection(fresh("async"))
    await asyncio.gather(*(collection.document(f"d{n:02}").set({"n": n}) for n in range(50)))
    query = collection.where(filter=firestore.FieldFilter("n", ">=", 40)).order_by("n")
    assert [s.get("n") async for s in query.stream()] == list(range(40, 50))
    assert len([s async for s in db.get_all([collection.document(f"d{n:02}") for n in range(50)])]) == 50


@checks("async: batch and collections")
@with_client
async def batch(db):
    name = fresh("async")
    writes = db.batch()
    writes.set(db.document(f"{name}/a"), {"n": 1})
    writes.set(db.document(f"{name}/a/sub/b"), {"n": 2})
    assert len(await writes.commit()) == 2
    assert [c.id async for c in db.document(f"{name}/a").collections()] == ["sub"]
    assert [d.id async for d in db.collection(name).list_documents()] == ["a"]


@checks("async: a transaction moves a counter")
@with_client
async def counter(db):
    document = db.document(f"{fresh('async')}/counter")
    await document.set({"n": 1})

    @firestore.async_transactional
    async def add_one(transaction):
        snapshot = await document.get(transaction=transaction)
        transaction.update(document, {"n": snapshot.get("n") + 1})

    for _ in range(3):
        await add_one(db.transaction())
    assert (await document.get()).get("n") == 4


@checks("async: errors")
@with_client
async def errors(db):
    document = db.document(f"{fresh('async')}/none")
    try:
        await document.update({"n": 1})
    except exceptions.NotFound:
        pass
    else:
        raise AssertionError("no NotFound was raised")
    await document.create({"n": 1})
    try:
        await document.create({"n": 1})
    except exceptions.AlreadyExists:
        pass
    else:
        raise AssertionError("no AlreadyExists was raised")
