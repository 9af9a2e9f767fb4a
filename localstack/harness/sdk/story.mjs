// Takes a payment and refunds it with the vendor's TypeScript SDK, and prints what that saw as JSON.

import SumUp, { APIError } from "@sumup/sdk";
import { setTimeout as sleep } from "node:timers/promises";

const { API_KEY: apiKey, BASE_URL: host, MERCHANT_CODE: code } = process.env;
const client = new SumUp({ apiKey, host });
const seen = { merchant: (await client.merchants.get(code)).merchant_code === code };

const methods = await client.checkouts.listAvailablePaymentMethods(code);
seen.card = methods.available_payment_methods.some((m) => m.id === "card");
const order = "typescript";
const checkout = await client.checkouts.create({ amount: 10.1, currency: "EUR", merchant_code: code, checkout_reference: order });
const paid = await client.checkouts.process(checkout.id, {
  payment_type: "card",
  card: { name: "Ada", number: "4200000000000091", expiry_month: "12", expiry_year: "2030", cvv: "123", type: "VISA" },
});
seen.paid = (await client.checkouts.get(checkout.id)).status;
seen.listed = (await client.checkouts.list({ checkout_reference: order })).map((c) => c.id === checkout.id);
const other = await client.checkouts.create({ amount: 1, currency: "EUR", merchant_code: code, checkout_reference: `${order}-other` });
seen.deactivated = (await client.checkouts.deactivate(other.id)).status;

await client.transactions.refund(code, paid.transaction_id, { amount: 1.5 });
seen.transaction = (await client.transactions.get(code, { id: paid.transaction_id })).status;
const page = await client.transactions.list(code, { limit: 10, order: "descending", types: ["PAYMENT"] });
seen.refunded = page.items.filter((t) => t.transaction_id === paid.transaction_id).map((t) => t.refunded_amount);
const receipt = await client.receipts.get(paid.transaction_id, { mid: code });
seen.receipt = receipt.transaction_data.transaction_code === paid.transaction_code;
const today = new Date().toISOString().slice(0, 10);
seen.payouts = (await client.payouts.list(code, { start_date: today, end_date: today })).length;

await client.customers.create({ customer_id: order, personal_details: { first_name: "Ada" } });
await client.customers.update(order, { personal_details: { first_name: "Grace" } });
seen.customer = (await client.customers.get(order)).personal_details.first_name;
const role = await client.roles.create(code, { name: order, permissions: ["members_read"] });
seen.role = (await client.roles.list(code)).items.some((r) => r.id === role.id);
await client.roles.delete(code, role.id);
seen.owner = (await client.members.list(code)).items.some((m) => m.roles.includes("role_owner"));

const reader = await client.readers.create(code, { name: "till", pairing_code: "TYPESCR1" });
while ((await client.readers.get(code, reader.id)).status !== "paired") await sleep(200);
seen.reader = (await client.readers.getStatus(code, reader.id)).data.status;
const sale = (await client.readers.createCheckout(code, reader.id, {
  total_amount: { currency: "EUR", minor_unit: 2, value: 1000 },
  tip_rates: [0.15, 0.05, 0.1],
})).data;
let state;
do {
  await sleep(200);
  state = (await client.readers.getCheckout(code, reader.id, sale.checkout_id)).data;
} while (state.status === "pending");
seen.sold = state.status;
await client.readers.delete(code, reader.id);

try {
  await client.checkouts.get("00000000-0000-4000-8000-000000000000");
} catch (error) {
  seen.missing = error instanceof APIError && error.status;
}
console.log(JSON.stringify(seen));
