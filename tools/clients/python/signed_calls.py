# Continues the program of docs/guides/clients.md with more calls, and prints what came back as JSON.

import json
import uuid

property_id = os.environ["PROPERTY_ID"]
room = partner_api.CatalogApi(client).list_rooms(property_id).rooms[0]
update = partner_api.AriUpdateWrite(
    room_id=room.service_id, date_from="2027-01-01", date_to="2027-01-02", availability=1
)
written = partner_api.AvailabilityAndRatesApi(client).write_ari(
    str(uuid.uuid4()), partner_api.AriWrite(property_id=property_id, updates=[update]), dry_run="true"
)

try:
    reservations.pull_reservations("con_of_somebody_else")
    refused = None
except partner_api.ApiException as error:
    refused = {"status": error.status, "code": error.data.error.code, "message": error.data.error.message}

answers = {
    "properties": [one.property_id for one in partner_api.PropertiesApi(client).list_properties().properties],
    "pulled": len(pulled),
    "cells": written.cells_written + written.cells_unchanged,
    "refused": refused,
}
print(json.dumps(answers))
