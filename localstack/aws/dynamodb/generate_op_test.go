package dynamodb_test

import "fmt"

// request is one generated operation. If drain is set, its pages are all read and compared together.
type request struct {
	op    string
	body  object
	drain bool

	// before and after hold the items by key. The test sets them.
	before, after map[string]object
}

func (g *generator) request() request {
	g.begin()
	g.requests++
	switch n := g.IntN(100); {
	case n < 14:
		return g.put()
	case n < 38:
		return g.updateItem()
	case n < 45:
		return g.deleteItem()
	case n < 52:
		return request{op: "GetItem", body: g.placeholders(g.projected(object{
			"TableName": diffTable, "Key": g.key(), "ConsistentRead": g.chance(50), "ReturnConsumedCapacity": "INDEXES"}))}
	case n < 70:
		return g.query()
	case n < 74:
		return g.scan()
	case n < 78:
		return g.batchGet()
	case n < 82:
		return g.batchWrite()
	case n < 97:
		return g.transactWrite()
	default:
		return g.transactGet()
	}
}

func (g *generator) keys(max int) []object {
	seen := map[string]bool{}
	var keys []object
	for range 1 + g.IntN(max) {
		key := g.key()
		if at := compact(key); !seen[at] {
			seen[at] = true
			keys = append(keys, key)
		}
	}
	return keys
}

func (g *generator) projected(body object) object {
	if g.chance(25) {
		body["ProjectionExpression"] = pick(g, "n, s", "#s, m.a", "l[0], l[1].x, pk", "m.b.c, m.a, nothing", "l[1], sk",
			"n, n", "m, m.a", g.path()+", sk")
		g.names["#s"] = "s"
	}
	return body
}

// conditional adds a condition to a write in some cases.
func (g *generator) conditional(body object) object {
	if !g.chance(55) {
		return body
	}
	body["ConditionExpression"] = g.condition(2)
	if g.chance(6) {
		body["ConditionExpression"] = g.damage(body["ConditionExpression"].(string))
	}
	if g.chance(40) {
		body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
	}
	return body
}

func (g *generator) put() request {
	body := g.conditional(object{"TableName": diffTable, "Item": g.item(), "ReturnConsumedCapacity": "INDEXES"})
	body["ReturnValues"] = pick(g, "NONE", "ALL_OLD")
	return request{op: "PutItem", body: g.placeholders(body)}
}

func (g *generator) updateItem() request {
	body := g.conditional(object{"TableName": diffTable, "Key": g.key(), "UpdateExpression": g.update(),
		"ReturnConsumedCapacity": "INDEXES"})
	if g.chance(6) {
		body["UpdateExpression"] = g.damage(body["UpdateExpression"].(string))
	}
	body["ReturnValues"] = pick(g, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
	return request{op: "UpdateItem", body: g.placeholders(body)}
}

func (g *generator) deleteItem() request {
	body := g.conditional(object{"TableName": diffTable, "Key": g.key(), "ReturnConsumedCapacity": "INDEXES"})
	body["ReturnValues"] = pick(g, "NONE", "ALL_OLD")
	return request{op: "DeleteItem", body: g.placeholders(body)}
}

func (g *generator) filtered(body object) object {
	if g.chance(40) {
		body["FilterExpression"] = g.condition(1)
		if g.chance(5) {
			body["FilterExpression"] = g.damage(body["FilterExpression"].(string))
		}
	}
	if g.chance(50) {
		body["Limit"] = 1 + g.IntN(4)
	}
	if g.chance(15) {
		body["Select"] = "COUNT"
		return body
	}
	return g.projected(body)
}

func (g *generator) query() request {
	body := object{"TableName": diffTable, "ReturnConsumedCapacity": "INDEXES", "ScanIndexForward": g.chance(50)}
	var hash, sort string
	switch g.IntN(5) {
	case 0:
		body["IndexName"] = "by_number"
		hash = "gp = " + g.value(text(fmt.Sprint("g", g.IntN(2))))
		sort = g.sortTerm("gs", func() object { return number(fmt.Sprint(g.IntN(3))) })
	case 1:
		body["IndexName"] = "keys_only"
		hash = "kp = " + g.value(text("k"))
	case 2:
		body["IndexName"] = "including"
		hash = "kp = " + g.value(text("k"))
		sort = g.sortTerm("sk", func() object { return text(fmt.Sprint("s", g.IntN(4))) })
	default:
		body["ConsistentRead"] = g.chance(50)
		hash = "pk = " + g.value(text(fmt.Sprint("p", g.IntN(2))))
		sort = g.sortTerm("sk", func() object { return text(fmt.Sprint("s", g.IntN(4))) })
	}
	if sort != "" && g.chance(60) {
		hash = pick(g, hash+" AND "+sort, sort+" AND "+hash, hash+" AND ("+sort+")")
	}
	body["KeyConditionExpression"] = hash
	if g.chance(4) {
		body["KeyConditionExpression"] = g.damage(hash)
	}
	body = g.filtered(body)
	if body["IndexName"] != nil {
		// DynamoDB Local ends a limited query at the bound of the sort key and so loses further items with that key.
		delete(body, "Limit")
	}
	return request{op: "Query", body: g.placeholders(body), drain: true}
}

func (g *generator) sortTerm(name string, v func() object) string {
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, g.value(v()), g.value(v()))
	case 1:
		return fmt.Sprintf("begins_with(%s, %s)", name, g.value(v()))
	case 2:
		return g.value(v()) + " >= " + name
	default:
		return fmt.Sprintf("%s %s %s", name, pick(g, "=", "<", "<=", ">", ">="), g.value(v()))
	}
}

func (g *generator) scan() request {
	body := object{"TableName": diffTable, "ReturnConsumedCapacity": "INDEXES"}
	if g.chance(40) {
		body["IndexName"] = pick(g, "by_number", "keys_only", "including")
	}
	body = g.filtered(body)
	if body["IndexName"] != nil && body["IndexName"] != "by_number" {
		delete(body, "FilterExpression") // DynamoDB Local also filters by attributes that the index lacks
	}
	return request{op: "Scan", body: g.placeholders(body), drain: true}
}

func (g *generator) batchGet() request {
	part := g.projected(object{"Keys": g.keys(6), "ConsistentRead": g.chance(50)})
	return request{op: "BatchGetItem", body: object{
		"RequestItems": object{diffTable: g.placeholders(part)}, "ReturnConsumedCapacity": "TOTAL"}}
}

func (g *generator) batchWrite() request {
	var writes list
	for _, key := range g.keys(6) {
		if g.chance(30) {
			writes = append(writes, object{"DeleteRequest": object{"Key": key}})
			continue
		}
		item := g.item()
		item["pk"], item["sk"] = key["pk"], key["sk"]
		writes = append(writes, object{"PutRequest": object{"Item": item}})
	}
	return request{op: "BatchWriteItem", body: object{"RequestItems": object{diffTable: writes},
		"ReturnConsumedCapacity": "INDEXES"}}
}

func (g *generator) transactWrite() request {
	var parts list
	for _, key := range g.keys(pick(g, 1, 4, 4, 4)) {
		g.begin()
		verb := pick(g, "Put", "Update", "Update", "Delete", "ConditionCheck")
		part := object{"TableName": diffTable}
		switch verb {
		case "Put":
			item := g.item()
			item["pk"], item["sk"] = key["pk"], key["sk"]
			part["Item"] = item
		case "Update":
			part["UpdateExpression"] = g.update()
			part["Key"] = key
		default:
			part["Key"] = key
		}
		if verb == "ConditionCheck" || g.chance(40) {
			part["ConditionExpression"] = pick(g, "attribute_exists(pk)", "attribute_not_exists(nothing)",
				"attribute_exists(n)", g.simple())
			if g.chance(50) {
				part["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
			}
		}
		parts = append(parts, object{verb: g.placeholders(part)})
	}
	if g.chance(2) {
		parts = append(parts, parts[0])
	}
	body := object{"TransactItems": parts, "ReturnConsumedCapacity": "INDEXES"}
	if g.chance(30) {
		body["ClientRequestToken"] = fmt.Sprintf("token%d-%d", g.requests/tokenWindow, g.IntN(200))
	}
	return request{op: "TransactWriteItems", body: body}
}

func (g *generator) transactGet() request {
	var parts list
	for _, key := range g.keys(4) {
		g.begin()
		parts = append(parts, object{"Get": g.placeholders(g.projected(object{"TableName": diffTable, "Key": key}))})
	}
	return request{op: "TransactGetItems", body: object{"TransactItems": parts, "ReturnConsumedCapacity": "INDEXES"}}
}
