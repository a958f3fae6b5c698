"""Makes signed calls with the client that openapi-generator makes for Python, and prints what came back as JSON."""

import hashlib
import hmac
import json
import os
import time
import uuid
from urllib.parse import urlsplit

import urllib3
import partner_api

KEY_ID, SECRET = os.environ["KEY_ID"], os.environ["SIGNING_SECRET"]
PROPERTY_ID = os.environ["PROPERTY_ID"]


class SigningPool(urllib3.PoolManager):
    """Signs every request over the bytes that are sent."""

    def request(self, method, url, body=None, fields=None, headers=None, **options):
        raw = body.encode() if isinstance(body, str) else body or b""
        timestamp = str(int(time.time()))
        text = "\n".join([method, urlsplit(url).path, timestamp, hashlib.sha256(raw).hexdigest()])
        signature = hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()
        signed = {"X-Service-Key-Id": KEY_ID, "X-Service-Timestamp": timestamp, "X-Service-Signature": signature}
        return super().request(method, url, body=raw or None, headers={**(headers or {}), **signed}, **options)


client = partner_api.ApiClient(partner_api.Configuration(host=os.environ["BASE_URL"] + "/api/connectivity/v1"))
client.rest_client.pool_manager = SigningPool()
properties = partner_api.PropertiesApi(client)
reservations = partner_api.ReservationsApi(client)
inventory = partner_api.AvailabilityAndRatesApi(client)

pulled, cursor = 0, None
while True:
    page = reservations.pull_reservations(PROPERTY_ID, cursor=cursor, limit=100)
    pulled += len(page.reservations)
    cursor = page.pagination.next_cursor
    if cursor is None:
        break

room = partner_api.CatalogApi(client).list_rooms(PROPERTY_ID).rooms[0]
update = partner_api.AriUpdateWrite(
    room_id=room.service_id, date_from="2027-01-01", date_to="2027-01-02", availability=1
)
written = inventory.write_ari(
    str(uuid.uuid4()), partner_api.AriWrite(property_id=PROPERTY_ID, updates=[update]), dry_run="true"
)

try:
    reservations.pull_reservations("con_of_somebody_else")
    refused = None
except partner_api.ApiException as error:
    refused = {"status": error.status, "code": error.data.error.code, "message": error.data.error.message}

answers = {
    "properties": [one.property_id for one in properties.list_properties().properties],
    "pulled": pulled,
    "cells": written.cells_written + written.cells_unchanged,
    "refused": refused,
}
print(json.dumps(answers))
