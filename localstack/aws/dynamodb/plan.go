package dynamodb

import (
	"fmt"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// plan is a CreateTable request.
type plan struct {
	definition
	keySchema  []keyElement
	billing    string
	streamView string
	indexes    []indexPlan
}

type indexPlan struct {
	name       string
	keySchema  []keyElement
	projection string
	include    []string
}

type keyElement struct{ name, role string }

func readPlan(r *attr.Reader) (*plan, error) {
	p := &plan{}
	err := members{
		"TableName":                 text(&p.name),
		"AttributeDefinitions":      into(&p.attributes, list(readDefinition)),
		"KeySchema":                 into(&p.keySchema, list(readKeyElement)),
		"BillingMode":               text(&p.billing),
		"ProvisionedThroughput":     throughput(&p.readUnits, &p.writeUnits),
		"DeletionProtectionEnabled": flag(&p.protected),
		"StreamSpecification":       into(&p.streamView, readStreamView),
		"GlobalSecondaryIndexes":    into(&p.indexes, list(readIndexPlan)),
	}.read(r, "CreateTable")
	return p, err
}

func readDefinition(r *attr.Reader) (keyAttribute, error) {
	var name, letters string
	err := members{"AttributeName": text(&name), "AttributeType": text(&letters)}.read(r, "AttributeDefinition")
	kind, ok := attr.ParseKind(letters)
	if err == nil && (!ok || !kind.IsScalarKey()) {
		err = unknown("attributeType", letters, "[B, N, S]")
	}
	return keyAttribute{name, kind}, err
}

func readKeyElement(r *attr.Reader) (e keyElement, err error) {
	err = members{"AttributeName": text(&e.name), "KeyType": text(&e.role)}.read(r, "KeySchemaElement")
	return e, err
}

// throughput reads the two kinds of capacity units.
func throughput(read, write *int) func(*attr.Reader) error {
	units := members{"ReadCapacityUnits": number(read), "WriteCapacityUnits": number(write)}
	return func(r *attr.Reader) error { return units.read(r, "ProvisionedThroughput") }
}

var streamViews = []string{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"}

func readStreamView(r *attr.Reader) (view string, err error) {
	enabled := false
	err = members{"StreamEnabled": flag(&enabled), "StreamViewType": text(&view)}.read(r, "StreamSpecification")
	switch {
	case err != nil:
		return "", err
	case enabled != (view != ""):
		return "", attr.Invalid("One or more parameter values were invalid: StreamViewType and StreamEnabled do not agree")
	case enabled && !slices.Contains(streamViews, view):
		return "", unknown("streamViewType", view, fmt.Sprint(streamViews))
	}
	return view, nil
}

func readIndexPlan(r *attr.Reader) (ix indexPlan, err error) {
	projection := members{
		"ProjectionType":   text(&ix.projection),
		"NonKeyAttributes": into(&ix.include, list((*attr.Reader).Str)),
	}
	err = members{
		"IndexName":             text(&ix.name),
		"KeySchema":             into(&ix.keySchema, list(readKeyElement)),
		"Projection":            func(r *attr.Reader) error { return projection.read(r, "Projection") },
		"ProvisionedThroughput": throughput(new(int), new(int)),
	}.read(r, "GlobalSecondaryIndex")
	return ix, err
}

// table checks the plan and builds an empty table by it.
func (p *plan) table() (*table, error) {
	if err := checkTableName(p.name); err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var err error
	if p.keys, err = p.resolve(p.keySchema, used); err != nil {
		return nil, err
	}
	t := &table{}
	for _, plan := range p.indexes {
		ix, err := p.index(plan, used)
		if err != nil {
			return nil, err
		}
		if _, err := t.index(ix.name); err == nil {
			return nil, attr.Invalidf("One or more parameter values were invalid: Duplicate index name: %s", ix.name)
		}
		t.indexes = append(t.indexes, ix)
	}
	for _, k := range p.attributes {
		if !used[k.name] {
			return nil, attr.Invalidf("One or more parameter values were invalid: Some AttributeDefinitions are not used. "+
				"AttributeDefinitions: [%s]", k.name)
		}
	}
	if err := p.checkBilling(); err != nil {
		return nil, err
	}
	t.definition = p.definition
	return t, nil
}

func (p *plan) checkBilling() error {
	provisioned := p.readUnits > 0 && p.writeUnits > 0
	p.onDemand = p.billing == "PAY_PER_REQUEST"
	switch {
	case p.billing != "" && p.billing != "PROVISIONED" && !p.onDemand:
		return unknown("billingMode", p.billing, "[PROVISIONED, PAY_PER_REQUEST]")
	case p.onDemand && provisioned:
		return attr.Invalid("One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits " +
			"can be specified when BillingMode is PAY_PER_REQUEST")
	case !p.onDemand && !provisioned:
		return attr.Invalid("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both " +
			"be specified when BillingMode is PROVISIONED")
	}
	return nil
}

// resolve finds the attributes of a key schema among the definitions.
func (p *plan) resolve(elements []keyElement, used map[string]bool) (schema, error) {
	var s schema
	roles := [...]string{"HASH", "RANGE"}
	if len(elements) == 0 || len(elements) > len(roles) {
		return s, attr.Invalid("1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member " +
			"must have length between 1 and 2")
	}
	for i, e := range elements {
		if e.role != roles[i] {
			return s, attr.Invalidf("Invalid KeySchema: The %s KeySchemaElement is not a %s key type",
				[...]string{"first", "second"}[i], roles[i])
		}
		at := slices.IndexFunc(p.attributes, func(k keyAttribute) bool { return k.name == e.name })
		if at < 0 {
			return s, attr.Invalidf("One or more parameter values were invalid: Some index key attributes are not defined in "+
				"AttributeDefinitions. Keys: [%s]", e.name)
		}
		used[e.name] = true
		*[...]*keyAttribute{&s.hash, &s.sort}[i] = p.attributes[at]
	}
	if s.hash.name == s.sort.name {
		return s, attr.Invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return s, nil
}

func (p *plan) index(plan indexPlan, used map[string]bool) (*index, error) {
	if err := checkTableName(plan.name); err != nil {
		return nil, err
	}
	keys, err := p.resolve(plan.keySchema, used)
	if err != nil {
		return nil, err
	}
	ix := &index{name: plan.name, keys: keys, projection: plan.projection, include: plan.include}
	switch {
	case plan.projection != "INCLUDE" && plan.include != nil:
		return nil, attr.Invalidf("One or more parameter values were invalid: ProjectionType is %s, but NonKeyAttributes "+
			"is specified", plan.projection)
	case plan.projection == "ALL":
	case plan.projection == "KEYS_ONLY", plan.projection == "INCLUDE" && plan.include != nil:
		ix.kept = slices.Concat(p.keys.names(), keys.names(), plan.include)
	case plan.projection == "INCLUDE":
		return nil, attr.Invalid("One or more parameter values were invalid: ProjectionType is INCLUDE, but " +
			"NonKeyAttributes is not specified")
	default:
		return nil, attr.Invalidf("One or more parameter values were invalid: Unknown ProjectionType: %s", plan.projection)
	}
	return ix, nil
}

// append appends the table's description.
func (t *table) append(dst []byte, status string) []byte {
	dst = attr.AppendList(append(dst, `{"AttributeDefinitions":`...), t.attributes, appendDefinition)
	dst = fmt.Appendf(dst, `,"TableName":%s,"KeySchema":%s,"TableStatus":"%s","CreationDateTime":%d.%03d,`+
		`"ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":%d,"WriteCapacityUnits":%d},`+
		`"TableSizeBytes":%d,"ItemCount":%d,"TableArn":%s,"DeletionProtectionEnabled":%t`,
		quote(t.name), t.keys.json(), status, t.created.Unix(), t.created.Nanosecond()/1e6,
		t.readUnits, t.writeUnits, t.rows.bytes, t.rows.count, quote(t.arn()), t.protected)
	if t.onDemand {
		dst = append(dst, `,"BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"}`...)
	}
	if len(t.indexes) > 0 {
		dst = attr.AppendList(append(dst, `,"GlobalSecondaryIndexes":`...), t.indexes, func(dst []byte, ix *index) []byte {
			return fmt.Appendf(dst, `{%s,"IndexStatus":"ACTIVE","IndexSizeBytes":%d,"ItemCount":%d,"IndexArn":%s}`,
				ix.planJSON(), ix.rows.bytes, ix.rows.count, quote(t.arn()+"/index/"+ix.name))
		})
	}
	if t.stream != nil {
		dst = fmt.Appendf(dst, `,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"%s"},`+
			`"LatestStreamLabel":%s,"LatestStreamArn":%s`,
			t.stream.view, quote(t.stream.label), quote(t.stream.arn()))
	}
	return append(dst, '}')
}

// planJSON writes the table's definition as CreateTable takes it.
func (t *table) planJSON() []byte {
	dst := fmt.Appendf(nil, `{"TableName":%s,"KeySchema":%s,"DeletionProtectionEnabled":%t,"AttributeDefinitions":`,
		quote(t.name), t.keys.json(), t.protected)
	dst = attr.AppendList(dst, t.attributes, appendDefinition)
	if t.onDemand {
		dst = append(dst, `,"BillingMode":"PAY_PER_REQUEST"`...)
	} else {
		dst = fmt.Appendf(dst, `,"ProvisionedThroughput":{"ReadCapacityUnits":%d,"WriteCapacityUnits":%d}`,
			t.readUnits, t.writeUnits)
	}
	dst = attr.AppendList(append(dst, `,"GlobalSecondaryIndexes":`...), t.indexes, func(dst []byte, ix *index) []byte {
		return fmt.Appendf(dst, `{%s}`, ix.planJSON())
	})
	if t.stream != nil {
		dst = fmt.Appendf(dst, `,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":%s}`, quote(t.stream.view))
	}
	return append(dst, '}')
}

func appendDefinition(dst []byte, k keyAttribute) []byte {
	return fmt.Appendf(dst, `{"AttributeName":%s,"AttributeType":"%s"}`, quote(k.name), k.kind)
}

// planJSON writes the members of the index's definition.
func (ix *index) planJSON() []byte {
	dst := fmt.Appendf(nil, `"IndexName":%s,"KeySchema":%s,"Projection":{"ProjectionType":"%s"`, quote(ix.name),
		ix.keys.json(), ix.projection)
	if ix.include != nil {
		dst = attr.AppendList(append(dst, `,"NonKeyAttributes":`...), ix.include, attr.AppendString)
	}
	return append(dst, '}')
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func quote(s string) []byte { return attr.AppendString(nil, s) }

func (s schema) json() []byte {
	dst := fmt.Appendf(nil, `[{"AttributeName":%s,"KeyType":"HASH"}`, quote(s.hash.name))
	if s.sort.name != "" {
		dst = fmt.Appendf(dst, `,{"AttributeName":%s,"KeyType":"RANGE"}`, quote(s.sort.name))
	}
	return append(dst, ']')
}
