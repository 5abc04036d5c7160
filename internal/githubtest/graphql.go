package githubtest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// schemaFiles has the schema; the Dockerfile packs it.
//
//go:embed schema.graphql*
var schemaFiles embed.FS

func schemaText() string {
	text, err := schemaFiles.ReadFile("schema.graphql")
	if err == nil {
		return string(text)
	}
	packed, err := schemaFiles.Open("schema.graphql.gz")
	if err != nil {
		panic(err) // it is part of the binary
	}
	unzip, err := gzip.NewReader(packed)
	if err == nil {
		text, err = io.ReadAll(unzip)
	}
	if err != nil {
		panic(err) // as above
	}
	return string(text)
}

// A resolver gives one field of one object. It returns nil, a scalar, a Go
// object that [typeOf] knows, a list of either, or an error.
type resolver func(c *call, self any, a args) any

// A graph is the schema with its resolvers and validation rules. Nothing
// changes it once it is made.
type graph struct {
	schema *ast.Schema
	fields map[string]map[string]resolver // by type, by field
	rules  *rules.Rules
}

// theGraph is made once for all worlds: the schema is a constant.
var theGraph = sync.OnceValue(func() *graph {
	return &graph{
		schema: gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: schemaText()}),
		fields: resolvers(),
		rules:  rules.NewDefaultRules(),
	}
})

// A query is a GraphQL request as far as it could be read.
type query struct {
	name      string   // of the operation
	fields    []string // root fields
	mutation  bool
	doc       *ast.QueryDocument
	op        *ast.OperationDefinition
	variables map[string]any
	errs      gqlerror.List
	malformed bool // the body is no JSON
}

// Queries keeps queries that were parsed and found valid, by their text, for all
// worlds that are given it. Whoever plays thousands of worlds saves a sixth of
// the time. The zero value is empty and ready.
type Queries struct{ valid sync.Map }

func (k *Queries) get(text string) *ast.QueryDocument {
	if k == nil {
		return nil
	}
	doc, _ := k.valid.Load(text)
	known, _ := doc.(*ast.QueryDocument)
	return known
}

func (k *Queries) put(text string, doc *ast.QueryDocument) {
	if k != nil {
		k.valid.Store(text, doc)
	}
}

// parseQuery reads a request body. It is called before any right or fault is
// looked at, so that the log says what was asked for.
func parseQuery(body []byte, kept *Queries) *query {
	var in struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	q := &query{name: "", mutation: false}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&in); err != nil {
		q.malformed = true
		return q
	}
	q.variables = in.Variables
	doc := kept.get(in.Query)
	if doc == nil {
		var err error
		doc, err = parser.ParseQueryWithTokenLimit(&ast.Source{Input: in.Query}, 20000)
		if err != nil {
			q.errs = gqlerror.List{gqlerror.WrapIfUnwrapped(err)}
			return q
		}
		if q.errs = validator.ValidateWithRules(theGraph().schema, doc, theGraph().rules); len(q.errs) > 0 {
			q.note(doc, in.OperationName)
			return q
		}
		kept.put(in.Query, doc)
	}
	q.doc = doc
	q.note(doc, in.OperationName)
	if q.op == nil {
		q.errs = gqlerror.List{gqlerror.Errorf("An operation name is required")}
	}
	return q
}

// note takes down which operation is asked for, and its root fields.
func (q *query) note(doc *ast.QueryDocument, name string) {
	q.op = doc.Operations.ForName(name)
	if q.op == nil {
		return
	}
	q.name, q.mutation = q.op.Name, q.op.Operation == ast.Mutation
	for _, s := range q.op.SelectionSet {
		if f, ok := s.(*ast.Field); ok {
			q.fields = append(q.fields, f.Name)
		}
	}
}

// A gqlError is an error at a path of the answer.
type gqlError struct {
	kind    string // FORBIDDEN, NOT_FOUND, UNPROCESSABLE, …
	message string
}

func (e *gqlError) Error() string { return e.message }

func gqlFail(kind, format string, a ...any) error {
	return &gqlError{kind: kind, message: fmt.Sprintf(format, a...)}
}

// FailField makes a field such as "PullRequest.reviewThreads" answer with an
// error of a type (INTERNAL, NOT_FOUND, …) instead of its value, as GitHub does
// when a part of a query fails. An empty message mends it.
func (w *World) FailField(field, kind, message string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.failing, field)
	if message != "" {
		w.failing[field] = &gqlError{kind: kind, message: message}
	}
}

func (c *call) graphQL(q *query) {
	if q.malformed {
		c.headers()
		c.fail(http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	if c.token.points >= c.token.limit() {
		c.headers()
		c.errors(map[string]any{
			"type": "RATE_LIMITED", "message": "API rate limit exceeded for installation ID 1.",
		})
		return
	}
	if len(q.errs) == 0 && c.w.opt.Enterprise && slices.Contains(q.fields, "requestReviewsByLogin") {
		q.errs = gqlerror.List{gqlerror.Errorf("Field 'requestReviewsByLogin' doesn't exist on type 'Mutation'")}
	}
	var vars map[string]any
	if len(q.errs) == 0 {
		var err error
		if vars, err = validator.VariableValues(theGraph().schema, q.op, q.variables); err != nil {
			q.errs = gqlerror.List{gqlerror.WrapIfUnwrapped(err)}
		}
	}
	if len(q.errs) > 0 {
		c.token.points++
		c.line.Points = 1
		c.headers()
		var list []any
		for _, e := range q.errs {
			one := map[string]any{"message": e.Message, "locations": e.Locations}
			if strings.Contains(e.Message, "doesn't exist on type") || strings.HasPrefix(e.Message, "Cannot query field") { // the code that github.com gives
				one["extensions"] = map[string]any{"code": "undefinedField"}
			}
			list = append(list, one)
		}
		c.errors(list...)
		return
	}
	x := &execution{call: c, graph: theGraph(), doc: q.doc, vars: vars}
	root := x.schema.Query
	if q.mutation {
		root = x.schema.Mutation
	}
	requests, nodes := x.cost(q.op.SelectionSet, 1)
	if nodes > 500000 {
		c.headers()
		c.errors(map[string]any{
			"type": "MAX_NODE_LIMIT_EXCEEDED",
			"message": fmt.Sprintf("This query requests up to %d possible nodes which exceeds the maximum limit of 500,000.",
				nodes),
		})
		return
	}
	x.points, x.nodes = max(1, int(math.Round(float64(requests)/100))), nodes
	c.token.points += x.points
	c.line.Points = x.points
	c.headers()
	data, ok := x.object(root, rootOf{}, q.op.SelectionSet, nil)
	out := object{}
	if ok {
		out = append(out, member{"data", data})
	} else {
		out = append(out, member{"data", nil})
	}
	if len(x.errs) > 0 {
		out = append(out, member{"errors", x.errs})
		c.noteErrors(x.errs)
	}
	var b bytes.Buffer
	encode(&b, out)
	c.out.status, c.out.body = http.StatusOK, b.Bytes()
}

// errors answers with errors and no data, as HTTP 200.
func (c *call) errors(list ...any) {
	c.noteErrors(list)
	c.json(http.StatusOK, map[string]any{"errors": list})
}

func (c *call) noteErrors(list []any) {
	var messages []string
	for _, e := range list {
		if m, ok := e.(map[string]any); ok {
			messages = append(messages, fmt.Sprint(m["message"]))
		}
	}
	c.line.Errors = strings.Join(messages, "; ")
}

// An object is a JSON object whose members keep the order of the query.
type object []member

type member struct {
	name  string
	value any
}

// encode writes v as JSON: an object, a list or a leaf.
func encode(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Quote(m.name)) // response keys are names
			b.WriteByte(':')
			encode(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, item)
		}
		b.WriteByte(']')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(fmt.Sprintf("githubtest: an answer cannot be encoded: %v", err))
		}
		b.Write(text)
	}
}

// rootOf is the object that the root fields belong to.
type rootOf struct{}

// execution runs one operation.
type execution struct {
	*call
	*graph
	doc    *ast.QueryDocument
	vars   map[string]any
	errs   []any
	points int
	nodes  int
}

// A collected field: all selections of one response key, merged.
type collected struct {
	key   string
	field *ast.Field
	sub   ast.SelectionSet
}

// collect merges the selections that apply to objects of type name; an empty
// name collects all, by (key, type condition), as the price of a query does.
func (x *execution) collect(set ast.SelectionSet, name string) []*collected {
	var out []*collected
	index := map[string]*collected{}
	var walk func(set ast.SelectionSet, depth int)
	walk = func(set ast.SelectionSet, depth int) {
		if depth > 50 {
			return
		}
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				if !x.included(s.Directives) {
					continue
				}
				k := s.Alias
				id := k
				if name == "" && s.ObjectDefinition != nil {
					id = s.ObjectDefinition.Name + "." + k
				}
				if old := index[id]; old != nil {
					old.sub = append(slices.Clip(old.sub), s.SelectionSet...)
					continue
				}
				n := &collected{key: k, field: s, sub: s.SelectionSet}
				index[id] = n
				out = append(out, n)
			case *ast.InlineFragment:
				if x.included(s.Directives) && (name == "" || x.applies(s.TypeCondition, name)) {
					walk(s.SelectionSet, depth+1)
				}
			case *ast.FragmentSpread:
				f := x.doc.Fragments.ForName(s.Name)
				if f != nil && x.included(s.Directives) && (name == "" || x.applies(f.TypeCondition, name)) {
					walk(f.SelectionSet, depth+1)
				}
			}
		}
	}
	walk(set, 0)
	return out
}

func (x *execution) included(ds ast.DirectiveList) bool {
	if d := ds.ForName("skip"); d != nil && x.truth(d) {
		return false
	}
	if d := ds.ForName("include"); d != nil && !x.truth(d) {
		return false
	}
	return true
}

func (x *execution) truth(d *ast.Directive) bool {
	a := d.Arguments.ForName("if")
	if a == nil {
		return false
	}
	v, err := a.Value.Value(x.vars)
	b, ok := v.(bool)
	return err == nil && ok && b
}

// applies reports whether an object of type name is what the fragment is on.
func (x *execution) applies(condition, name string) bool {
	if condition == "" || condition == name {
		return true
	}
	return slices.ContainsFunc(x.schema.PossibleTypes[condition], func(d *ast.Definition) bool { return d.Name == name })
}

// args are the coerced arguments of a field.
type args map[string]any

func (x *execution) args(f *ast.Field) (args, error) {
	out := args{}
	for _, def := range f.Definition.Arguments {
		if a := f.Arguments.ForName(def.Name); a != nil {
			if a.Value.Kind == ast.Variable {
				if v, ok := x.vars[a.Value.Raw]; ok {
					out[def.Name] = v
					continue
				}
			} else {
				v, err := a.Value.Value(x.vars)
				if err != nil {
					return nil, gqlFail("", "Argument '%s' has an invalid value.", def.Name)
				}
				out[def.Name] = v
				continue
			}
		}
		if def.DefaultValue != nil {
			v, err := def.DefaultValue.Value(nil)
			if err != nil {
				return nil, err
			}
			out[def.Name] = v
		}
	}
	return out, nil
}

func (a args) str(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a args) num(name string) (int, bool) {
	switch v := a[name].(type) {
	case int:
		return v, true
	case int64:
		return int(v), true
	case float64:
		return int(v), true
	case json.Number:
		n, err := v.Int64()
		return int(n), err == nil
	}
	return 0, false
}

func (a args) flag(name string) bool {
	b, _ := a[name].(bool)
	return b
}

// list is a list of strings. GraphQL coerces a single value to a list of one.
func (a args) list(name string) ([]string, bool) {
	switch v := a[name].(type) {
	case nil:
		return nil, false
	case string:
		return []string{v}, true
	case []string:
		return v, true
	default:
		rv := reflect.ValueOf(v)
		if rv.Kind() != reflect.Slice {
			return nil, false
		}
		var out []string
		for i := range rv.Len() {
			if s, ok := rv.Index(i).Interface().(string); ok {
				out = append(out, s)
			}
		}
		return out, true
	}
}

func (a args) sub(name string) args {
	m, _ := a[name].(map[string]any)
	return m
}

// cost adds up the requests and the nodes of a selection: each connection is
// one request for every node of the connections above it.
func (x *execution) cost(set ast.SelectionSet, times int) (requests, nodes int) {
	for _, f := range x.collect(set, "") {
		if f.field.Definition == nil {
			continue
		}
		below := times
		if strings.HasSuffix(f.field.Definition.Type.Name(), "Connection") {
			requests += times
			n := 0
			if a, err := x.args(f.field); err == nil {
				if v, ok := a.num("first"); ok {
					n = v
				} else if v, ok := a.num("last"); ok {
					n = v
				}
			}
			n = min(max(n, 0), 100)
			nodes += times * n
			below = times * max(n, 1)
		}
		if len(f.sub) > 0 && below < 1<<31 {
			r, n := x.cost(f.sub, below)
			requests, nodes = requests+r, nodes+n
		}
	}
	return requests, nodes
}

// object completes the selections on one object; ok is false where a field
// that must not be null is, so that the parent becomes null.
func (x *execution) object(def *ast.Definition, self any, set ast.SelectionSet, path []any) (out object, ok bool) {
	out = object{}
	for _, f := range x.collect(set, def.Name) {
		at := append(slices.Clip(path), f.key)
		if f.field.Name == "__typename" {
			out = append(out, member{f.key, def.Name})
			continue
		}
		fd := def.Fields.ForName(f.field.Name)
		if fd == nil {
			continue
		}
		v := x.resolve(def, fd, f.field, self)
		done, ok := x.complete(fd.Type, v, f, at)
		if !ok {
			return nil, false
		}
		out = append(out, member{f.key, done})
	}
	return out, true
}

func (x *execution) resolve(def *ast.Definition, fd *ast.FieldDefinition, f *ast.Field, self any) any {
	if err := x.w.failing[def.Name+"."+fd.Name]; err != nil {
		return err
	}
	a, err := x.args(f)
	if err != nil {
		return err
	}
	if p, isPage := self.(*page); isPage {
		if v, known := p.field(fd.Name); known {
			return v
		}
	}
	if e, isEdge := self.(*edge); isEdge {
		if fd.Name == "cursor" {
			return e.cursor
		}
		return e.node
	}
	if p, isPayload := self.(payload); isPayload {
		return p[fd.Name]
	}
	r := x.fields[def.Name][fd.Name]
	if r == nil {
		return gqlFail("", "Field '%s' of '%s' is not simulated.", fd.Name, def.Name)
	}
	if p, isRate := self.(rate); isRate {
		p.points, p.nodes = x.points, x.nodes
		self = p
	}
	v := r(x.call, self, a)
	if items, isList := v.([]any); isList && strings.HasSuffix(fd.Type.Name(), "Connection") {
		return paginate(items, a, fd.Name, f.SelectionSet)
	}
	if l, isListing := v.(*listing); isListing {
		p := paginate(l.items, a, fd.Name, f.SelectionSet)
		if pg, isPage := p.(*page); isPage {
			pg.extra = l
		}
		return p
	}
	return v
}

// complete turns a resolved value into JSON by its type.
func (x *execution) complete(t *ast.Type, v any, f *collected, path []any) (any, bool) {
	if err, isErr := v.(error); isErr {
		x.fail(err, f, path)
		return nil, !t.NonNull
	}
	if isNil(v) {
		if t.NonNull {
			x.fail(gqlFail("", "Cannot return null for non-nullable field %s", f.field.Name), f, path)
			return nil, false
		}
		return nil, true
	}
	if t.Elem != nil {
		items, ok := v.([]any)
		if !ok {
			items = anys(v)
		}
		out := make([]any, 0, len(items))
		for i, item := range items {
			done, ok := x.complete(t.Elem, item, f, append(slices.Clip(path), i))
			if !ok {
				return nil, !t.NonNull
			}
			out = append(out, done)
		}
		return out, true
	}
	def := x.schema.Types[t.NamedType]
	if def.IsLeafType() {
		return leaf(v), true
	}
	if def.IsAbstractType() {
		name := typeOf(v)
		if !slices.ContainsFunc(x.schema.PossibleTypes[def.Name], func(d *ast.Definition) bool { return d.Name == name }) {
			x.fail(gqlFail("", "The type %s is not a possible type of %s.", name, def.Name), f, path)
			return nil, !t.NonNull
		}
		def = x.schema.Types[name]
	}
	done, ok := x.object(def, v, f.sub, path)
	if !ok {
		return nil, !t.NonNull
	}
	return done, true
}

func (x *execution) fail(err error, f *collected, path []any) {
	e := map[string]any{"message": err.Error(), "path": slices.Clone(path)}
	if g, ok := errors.AsType[*gqlError](err); ok && g.kind != "" {
		e["type"] = g.kind
	}
	if p := f.field.Position; p != nil {
		e["locations"] = []any{map[string]any{"line": p.Line, "column": p.Column}}
	}
	x.errs = append(x.errs, e)
}

func isNil(v any) bool {
	if v == nil {
		return true
	}
	rv := reflect.ValueOf(v)
	return (rv.Kind() == reflect.Pointer || rv.Kind() == reflect.Slice || rv.Kind() == reflect.Map) && rv.IsNil()
}

// anys makes a list of any out of a slice.
func anys(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice {
		return []any{v}
	}
	out := make([]any, rv.Len())
	for i := range out {
		out[i] = rv.Index(i).Interface()
	}
	return out
}

func leaf(v any) any {
	if t, ok := v.(time.Time); ok {
		return t.UTC().Format(time.RFC3339)
	}
	return v
}

// A listing is a connection with more than the usual four fields.
type listing struct {
	items []any
}

// A page is a slice of a connection.
type page struct {
	items    []any // of this page
	from     int   // where it begins in the whole list
	total    int
	previous bool
	next     bool
	extra    *listing
}

type edge struct {
	cursor string
	node   any
}

func (p *page) field(name string) (any, bool) {
	switch name {
	case "nodes":
		return p.items, true
	case "edges":
		var out []any
		for i, v := range p.items {
			out = append(out, &edge{cursor(v, p.from+i), v})
		}
		return out, true
	case "totalCount":
		return p.total, true
	case "pageInfo":
		return p, true
	case "hasNextPage":
		return p.next, true
	case "hasPreviousPage":
		return p.previous, true
	case "startCursor":
		if len(p.items) > 0 {
			return cursor(p.items[0], p.from), true
		}
		return nil, true
	case "endCursor":
		if last := len(p.items) - 1; last >= 0 {
			return cursor(p.items[last], p.from+last), true
		}
		return nil, true
	}
	return nil, false
}

// cursor stands for an item by its node id, so that it stays right when items
// before it come or go; the index helps where the item itself is gone.
func cursor(v any, i int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:v2:%d:%s", i, nodeID(v)))
}

// place finds the item that a cursor stands for.
func place(items []any, text string) (int, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return 0, false
	}
	parts := strings.SplitN(string(raw), ":", 4)
	if len(parts) != 4 || parts[0] != "cursor" {
		return 0, false
	}
	i, err := strconv.Atoi(parts[2])
	if err != nil || i < 0 {
		return 0, false
	}
	if parts[3] != "" {
		if at := slices.IndexFunc(items, func(v any) bool { return nodeID(v) == parts[3] }); at >= 0 {
			return at, true
		}
		// The item is gone: those after it have moved up by one.
		return min(i-1, len(items)-1), true
	}
	return min(i, len(items)-1), true
}

// paginate applies first, last, after, before and skip, under GitHub's rules.
func paginate(items []any, a args, name string, set ast.SelectionSet) any {
	first, hasFirst := a.num("first")
	last, hasLast := a.num("last")
	switch {
	case hasFirst && hasLast:
		return gqlFail("BAD_USER_INPUT", "Passing both `first` and `last` values to paginate the `%s` connection is not supported.", name)
	case !hasFirst && !hasLast && wantsNodes(set):
		return gqlFail("MISSING_PAGINATION_BOUNDARIES",
			"You must provide a `first` or `last` value to properly paginate the `%s` connection.", name)
	case first > 100 || last > 100:
		return gqlFail("EXCESSIVE_PAGINATION", "Requesting %d records on the `%s` connection exceeds the `first` limit of 100 records.",
			max(first, last), name)
	case hasFirst && first < 1 || hasLast && last < 1:
		return gqlFail("ARGUMENT_LIMIT", "`first` and `last` on the `%s` connection must be between 1 and 100.", name)
	}
	lo, hi := 0, len(items)
	if s := a.str("after"); s != "" {
		i, ok := place(items, s)
		if !ok {
			return gqlFail("INVALID_CURSOR_ARGUMENTS", "`%s` does not appear to be a valid cursor.", s)
		}
		lo = i + 1
	}
	if s := a.str("before"); s != "" {
		i, ok := place(items, s)
		if !ok {
			return gqlFail("INVALID_CURSOR_ARGUMENTS", "`%s` does not appear to be a valid cursor.", s)
		}
		hi = i
	}
	if n, ok := a.num("skip"); ok && n > 0 {
		lo += n
	}
	lo = min(max(lo, 0), len(items))
	hi = min(max(hi, lo), len(items))
	from, to := lo, hi
	switch {
	case hasFirst:
		to = min(lo+first, hi)
	case hasLast:
		from = max(hi-last, lo)
	}
	return &page{items: append([]any{}, items[from:to]...), from: from, total: len(items), previous: from > 0, next: to < len(items)}
}

// wantsNodes reports whether a selection on a connection needs a page.
func wantsNodes(set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(s ast.Selection) bool {
		f, ok := s.(*ast.Field)
		return !ok || f.Name == "nodes" || f.Name == "edges" || f.Name == "pageInfo"
	})
}
