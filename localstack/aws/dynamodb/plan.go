package dynamodb

import (
	"fmt"
	"slices"

	"github.com/cashwrap/cashwrap/localstack/aws/dynamodb/attr"
)

// plan is a CreateTable request.
type plan struct {
	TableName                 string
	AttributeDefinitions      []attributeDefinition
	KeySchema                 []keySchemaElement
	BillingMode               string
	ProvisionedThroughput     provisionedThroughput
	DeletionProtectionEnabled bool
	StreamSpecification       streamSpecification
	GlobalSecondaryIndexes    []globalSecondaryIndex
}

type (
	attributeDefinition   struct{ AttributeName, AttributeType string }
	keySchemaElement      struct{ AttributeName, KeyType string }
	provisionedThroughput struct{ ReadCapacityUnits, WriteCapacityUnits int }
	streamSpecification   struct {
		StreamEnabled  bool
		StreamViewType string // "" without a stream
	}
	globalSecondaryIndex struct {
		IndexName             string
		KeySchema             []keySchemaElement
		Projection            projection
		ProvisionedThroughput provisionedThroughput
	}
	projection struct {
		ProjectionType   string
		NonKeyAttributes []string
	}
)

var streamViews = []string{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"}

func (s streamSpecification) check() error {
	switch {
	case s.StreamEnabled != (s.StreamViewType != ""):
		return attr.Invalid("One or more parameter values were invalid: StreamViewType and StreamEnabled do not agree")
	case s.StreamEnabled && !slices.Contains(streamViews, s.StreamViewType):
		return unknown("streamViewType", s.StreamViewType, fmt.Sprint(streamViews))
	}
	return nil
}

// definitions returns the attributes that keys can be made of.
func (p *plan) definitions() ([]keyAttribute, error) {
	defined := make([]keyAttribute, len(p.AttributeDefinitions))
	for i, d := range p.AttributeDefinitions {
		kind, ok := attr.ParseKind(d.AttributeType)
		if !ok || !kind.IsScalarKey() {
			return nil, unknown("attributeType", d.AttributeType, "[B, N, S]")
		}
		defined[i] = keyAttribute{d.AttributeName, kind}
	}
	return defined, nil
}

// table checks the plan and builds an empty table by it.
func (p *plan) table() (*table, error) {
	defined, err := p.definitions()
	if err != nil {
		return nil, err
	}
	for _, err := range []error{p.StreamSpecification.check(), checkTableName(p.TableName)} {
		if err != nil {
			return nil, err
		}
	}
	t := &table{name: p.TableName, attributes: defined, protected: p.DeletionProtectionEnabled,
		onDemand: p.BillingMode == "PAY_PER_REQUEST", throughput: p.ProvisionedThroughput}
	used := map[string]bool{}
	if t.keys, err = t.resolve(p.KeySchema, used); err != nil {
		return nil, err
	}
	for _, plan := range p.GlobalSecondaryIndexes {
		ix, err := t.makeIndex(plan, used)
		if err != nil {
			return nil, err
		}
		if _, err := t.index(ix.name); err == nil {
			return nil, attr.Invalidf("One or more parameter values were invalid: Duplicate index name: %s", ix.name)
		}
		t.indexes = append(t.indexes, ix)
	}
	for _, k := range t.attributes {
		if !used[k.name] {
			return nil, attr.Invalidf("One or more parameter values were invalid: Some AttributeDefinitions are not used. "+
				"AttributeDefinitions: [%s]", k.name)
		}
	}
	return t, p.checkBilling(t.onDemand)
}

func (p *plan) checkBilling(onDemand bool) error {
	units := p.ProvisionedThroughput
	provisioned := units.ReadCapacityUnits > 0 && units.WriteCapacityUnits > 0
	switch {
	case p.BillingMode != "" && p.BillingMode != "PROVISIONED" && !onDemand:
		return unknown("billingMode", p.BillingMode, "[PROVISIONED, PAY_PER_REQUEST]")
	case onDemand && provisioned:
		return attr.Invalid("One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits " +
			"can be specified when BillingMode is PAY_PER_REQUEST")
	case !onDemand && !provisioned:
		return attr.Invalid("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both " +
			"be specified when BillingMode is PROVISIONED")
	}
	return nil
}

// resolve finds the attributes of a key schema among the definitions.
func (t *table) resolve(elements []keySchemaElement, used map[string]bool) (schema, error) {
	var s schema
	roles := [...]string{"HASH", "RANGE"}
	if len(elements) == 0 || len(elements) > len(roles) {
		return s, attr.Invalid("1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member " +
			"must have length between 1 and 2")
	}
	for i, e := range elements {
		if e.KeyType != roles[i] {
			return s, attr.Invalidf("Invalid KeySchema: The %s KeySchemaElement is not a %s key type",
				[...]string{"first", "second"}[i], roles[i])
		}
		at := slices.IndexFunc(t.attributes, func(k keyAttribute) bool { return k.name == e.AttributeName })
		if at < 0 {
			return s, attr.Invalidf("One or more parameter values were invalid: Some index key attributes are not defined in "+
				"AttributeDefinitions. Keys: [%s]", e.AttributeName)
		}
		used[e.AttributeName] = true
		*[...]*keyAttribute{&s.hash, &s.sort}[i] = t.attributes[at]
	}
	if s.hash.name == s.sort.name {
		return s, attr.Invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return s, nil
}

func (t *table) makeIndex(plan globalSecondaryIndex, used map[string]bool) (*index, error) {
	if err := checkTableName(plan.IndexName); err != nil {
		return nil, err
	}
	keys, err := t.resolve(plan.KeySchema, used)
	if err != nil {
		return nil, err
	}
	shown := plan.Projection
	ix := &index{name: plan.IndexName, keys: keys, projection: shown}
	switch kind, include := shown.ProjectionType, shown.NonKeyAttributes; {
	case kind != "INCLUDE" && include != nil:
		return nil, attr.Invalidf("One or more parameter values were invalid: ProjectionType is %s, but NonKeyAttributes "+
			"is specified", kind)
	case kind == "ALL":
	case kind == "KEYS_ONLY", kind == "INCLUDE" && include != nil:
		ix.kept = slices.Concat(t.keys.names(), keys.names(), include)
	case kind == "INCLUDE":
		return nil, attr.Invalid("One or more parameter values were invalid: ProjectionType is INCLUDE, but " +
			"NonKeyAttributes is not specified")
	default:
		return nil, attr.Invalidf("One or more parameter values were invalid: Unknown ProjectionType: %s", kind)
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
		t.throughput.ReadCapacityUnits, t.throughput.WriteCapacityUnits, t.rows.bytes, t.rows.count, quote(t.arn()), t.protected)
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
			t.throughput.ReadCapacityUnits, t.throughput.WriteCapacityUnits)
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
		ix.keys.json(), ix.projection.ProjectionType)
	if include := ix.projection.NonKeyAttributes; include != nil {
		dst = attr.AppendList(append(dst, `,"NonKeyAttributes":`...), include, attr.AppendString)
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
