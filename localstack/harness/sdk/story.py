"""Takes a payment and refunds it with the vendor's Python SDK, and prints what that saw as JSON."""

import datetime
import json
import os
import time

import sumup

client = sumup.Sumup(api_key=os.environ["API_KEY"], base_url=os.environ["BASE_URL"])
code = os.environ["MERCHANT_CODE"]
seen = {"merchant": client.merchants.get(code).merchant_code == code}

methods = client.checkouts.list_available_payment_methods(code)
seen["card"] = "card" in [m.id for m in methods.available_payment_methods]
order = "python"
checkout = client.checkouts.create(amount=10.1, currency="EUR", merchant_code=code, checkout_reference=order)
paid = client.checkouts.process(checkout.id, payment_type="card", card={
    "name": "Ada", "number": "4200000000000091", "expiry_month": "12", "expiry_year": "2030", "cvv": "123", "type": "VISA"})
seen["paid"] = client.checkouts.get(checkout.id).status
seen["listed"] = [c.id == checkout.id for c in client.checkouts.list(checkout_reference=order)]
other = client.checkouts.create(amount=1, currency="EUR", merchant_code=code, checkout_reference=order + "-other")
seen["deactivated"] = client.checkouts.deactivate(other.id).status

client.transactions.refund(code, paid.transaction_id, amount=1.5)
seen["transaction"] = client.transactions.get(code, id=paid.transaction_id).status
page = client.transactions.list(code, limit=10, order="descending", types=["PAYMENT"])
seen["refunded"] = [t.refunded_amount for t in page.items if t.transaction_id == paid.transaction_id]
receipt = client.receipts.get(paid.transaction_id, mid=code)
seen["receipt"] = receipt.transaction_data.transaction_code == paid.transaction_code
today = datetime.date.today()
seen["payouts"] = len(client.payouts.list(code, start_date=today, end_date=today))

client.customers.create(customer_id=order, personal_details={"first_name": "Ada"})
client.customers.update(order, personal_details={"first_name": "Grace"})
seen["customer"] = client.customers.get(order).personal_details.first_name
role = client.roles.create(code, name=order, permissions=["members_read"])
seen["role"] = role.id in [r.id for r in client.roles.list(code).items]
client.roles.delete(code, role.id)
seen["owner"] = any("role_owner" in m.roles for m in client.members.list(code).items)

reader = client.readers.create(code, name="till", pairing_code="PYTHON01")
while client.readers.get(code, reader.id).status != "paired":
    time.sleep(0.2)
seen["reader"] = client.readers.get_status(code, reader.id).data.status
sale = client.readers.create_checkout(code, reader.id, total_amount={"currency": "EUR", "minor_unit": 2, "value": 1000},
                                      tip_rates=[0.15, 0.05, 0.1]).data
while (state := client.readers.get_checkout(code, reader.id, sale.checkout_id).data).status == "pending":
    time.sleep(0.2)
seen["sold"] = state.status
assert state.payment_failure_reason is None
assert client.readers.update_reader_settings(code, reader.id, menu_lock={"enabled": True, "passcode": "4711"})
assert client.readers.get_reader_settings(code, reader.id).data.menu_lock.enabled
client.readers.delete(code, reader.id)

token = client.tokens.create(code, actions=["checkout"])
bearer = sumup.Sumup(api_key=token.access_token, base_url=os.environ["BASE_URL"])
in_app = bearer.checkouts.create(amount=2, currency="EUR", merchant_code=code, checkout_reference=order + "-app")
assert bearer.checkouts.get(in_app.id).status == "PENDING"



def refused(call):
    try:
        call()
    except sumup.APIError as error:
        return error


seen["missing"] = refused(lambda: client.checkouts.get("00000000-0000-4000-8000-000000000000")).status
# Every request accepts problems. The published schema has one of a member, and an array of a payment.
problem = refused(lambda: client.members.create(code, email="nobody", roles=["role_employee"], nickname="x" * 65)).body
assert isinstance(problem, sumup.types.Problem), problem
assert [fault["param"] for fault in problem.errors] == ["email", "nickname"], problem
faults = refused(lambda: client.checkouts.process(in_app.id, payment_type="card", card={
    "name": "Ada", "number": "1", "expiry_month": "13", "expiry_year": "2030", "cvv": "123", "type": "VISA"})).body
assert [fault.param for fault in faults] == ["card.number", "card.expiry_month"], faults
print(json.dumps(seen))
