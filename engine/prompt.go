package engine

import (
	"encoding/json"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// The stable part of each prompt comes first and never changes, so that a
// provider's prompt cache can serve it.

const promptOutline = `You operate a web page for a person. The page is given as an outline of its accessibility tree: a line for each element, indented below its container, as
[ref] role: name (states) value="…"
Name an element by its ref, exactly as written. Never make up a ref. The cells of a row stand between bars on its line; the second one of [0-21] row is named 0-21:2.
`

const promptAct = promptOutline + `
Choose the one element and method that carry out the person's instruction, and answer in JSON.
Methods: click, doubleClick, tripleClick (arguments only where the instruction asks for them: right or middle for the button, held keys as Shift or Control+Alt); hover; tap; fill (argument: the whole new text of a field); type (argument: text to add at the caret); press (argument: a key, as Enter or Control+A); selectOption (arguments: labels of options of a select); check; uncheck; scrollTo (argument: a percentage, as 50%); scrollIntoView; nextChunk and prevChunk (scroll by one view); scrollByPixelOffset (arguments: x, y); wheel (arguments: x, y; for what listens to the wheel itself, as a map); dragAndDrop (argument: the ref of the element to drop on); dragByPixelOffset (arguments: x, y); setInputFiles (arguments: paths); clear; focus; blur.
To scroll the page itself, use the ref of the document, which is the first line.
Set found to false if no element fits, or if several fit equally and the instruction does not tell which; say in reason why, and name the candidates. Do not guess.
Set more to true only if another action has to follow for the instruction: this one must open something (a menu, a list) in which the real target appears afterwards, or the instruction asks for several things in order and this is not the last. At most three actions are carried out; if the instruction needs more, or asks for a thing that cannot be done, set found to false before the first.
Set description to a short phrase for the action, without values of placeholders. Leave unused members empty.
`

// promptActMore takes the number of actions; llm/offline reads it.
const promptActMore = `Actions done so far: %d. These are the changes of the page that the last one made, as added (+), removed (-) and changed (~) lines of the outline, and the outline as it is now. Choose the action that comes next in the instruction. What was done is not to be done again.`

const promptActAgain = `The choice before could not be used, for the reason that follows; what it says in full may quote the page.`

const promptObserve = promptOutline + `
List the actions that the person's instruction asks about: for each the element's ref, a short description, the method, and arguments as far as they are known. The methods are those of a person: click, fill, selectOption, check, hover, press, scrollTo and their kind. The list may be empty. Answer in JSON.
`

const promptExtract = promptOutline + `
Read from the page what the person asks for and answer in JSON of the schema given. Take texts as they stand on the page, whole and without comment. Take all entries of a list that the instruction covers, in the order of the page. What the page does not say is null, or empty, or left out as the schema allows; never invent. Where the schema asks for a ref, give the ref of the link whose address is meant.
`

// The forms of the engine's own questions, read once.
var actForm, observeForm, textForm = formOf(actSchema), formOf(observeSchema), formOf(textSchema)

var actSchema = &llm.ResponseSchema{Name: "action", Schema: json.RawMessage(`{
  "type": "object",
  "properties": {
    "found": {"type": "boolean", "description": "whether one element fits"},
    "ref": {"type": "string", "description": "the element's ref, without brackets; empty if not found"},
    "method": {"type": "string"},
    "arguments": {"type": "array", "items": {"type": "string"}},
    "description": {"type": "string", "description": "what the action does, in a few words"},
    "reason": {"type": "string", "description": "if not found: why, with the candidates"},
    "more": {"type": "boolean", "description": "a second action must follow in what this one opens"}
  },
  "required": ["found", "ref", "method", "arguments", "description", "reason", "more"],
  "additionalProperties": false
}`)}

var observeSchema = &llm.ResponseSchema{Name: "actions", Schema: json.RawMessage(`{
  "type": "object",
  "properties": {
    "actions": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "ref": {"type": "string", "description": "the element's ref, without brackets"},
        "description": {"type": "string"},
        "method": {"type": "string"},
        "arguments": {"type": "array", "items": {"type": "string"}}
      },
      "required": ["ref", "description", "method", "arguments"],
      "additionalProperties": false
    }}
  },
  "required": ["actions"],
  "additionalProperties": false
}`)}

var textSchema = &llm.ResponseSchema{Name: "extraction", Schema: json.RawMessage(`{
  "type": "object",
  "properties": {"extraction": {"type": "string", "description": "what was asked for, as text"}},
  "required": ["extraction"],
  "additionalProperties": false
}`)}

// A choice is a model's answer to what to do.
type choice struct {
	Found       bool     `json:"found"`
	Ref         string   `json:"ref"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments"`
	Description string   `json:"description"`
	Reason      string   `json:"reason"`
	More        bool     `json:"more"`
}
