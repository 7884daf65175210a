// The stage with three shapes, and the tool that lets a model change them.

import { byId } from './dom.js'

/** The tool as described to the model. The arguments are checked against this description. */
export const TOOL = {
  type: 'function',
  function: {
    name: 'change_shape',
    description: 'Changes a shape on the page. Arguments that are left out keep their value.',
    parameters: {
      type: 'object',
      properties: {
        shape: { type: 'string', enum: ['circle', 'square', 'triangle'] },
        colour: { type: 'string', description: 'A CSS colour, such as red or #3a63e0' },
        size: { type: 'number', minimum: 10, maximum: 200, description: 'Per cent of the normal size' },
        x: { type: 'number', minimum: 0, maximum: 100, description: 'Per cent of the width, from the left' },
        y: { type: 'number', minimum: 0, maximum: 100, description: 'Per cent of the height, from the top' },
      },
      required: ['shape'],
      additionalProperties: false,
    },
  },
}
const { properties } = TOOL.function.parameters

/** One per cent of the stage, in units of the drawing. Around the stage the drawing has room for half a shape. */
const UNIT = { x: 1.6, y: 1 }

/** Returns the tool calls of a part, in the format of OpenAI's API; `undefined` if the JSON is something else. */
export function toolCalls(json) {
  const calls = parse(json).value?.tool_calls
  if (!Array.isArray(calls)) return undefined
  const all = calls.map((call) => {
    const { name = '', arguments: text = '' } = call?.function ?? {}
    return { id: call?.id ?? '', type: 'function', function: { name, arguments: text } }
  })
  const isText = (value) => typeof value === 'string'
  return all.every(({ id, function: { name, arguments: text } }) => [id, name, text].every(isText)) ? all : undefined
}

/** Carries out a call, and describes the result in words. Both the model and the user read them. */
export function carryOut({ name, arguments: json }) {
  if (name !== TOOL.function.name) return refused(`there is no tool ${short(name)}; the only one is change_shape`)
  const { value, error } = parse(json)
  if (error) return refused(`the arguments cannot be read: ${error.message}`)
  // Some models write American English.
  const given = value?.color ? renamed(value) : value
  const why = whyNot(given)
  return why ? refused(why) : { isDone: true, words: change(given) }
}

const renamed = ({ color, ...others }) => ({ colour: color, ...others })

const refused = (words) => ({ isDone: false, words })

/** Returns the start of a model's value. It is printed as JSON, because its `toString` may throw. */
const short = (value) => {
  const words = typeof value === 'string' ? value : String(JSON.stringify(value))
  return [...words].slice(0, 40).join('')
}

/** Returns why these arguments are invalid; `undefined` if they are valid. `null` counts as left out. */
function whyNot(given) {
  if (typeof given !== 'object' || !given || Array.isArray(given)) return 'the arguments are not an object'
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined) return `there is no argument ${short(unknown)}`
  if (!properties.shape.enum.includes(given.shape)) {
    return `there is no shape ${short(given.shape)}; the shapes are circle, square and triangle`
  }
  for (const name of ['size', 'x', 'y']) {
    const { minimum, maximum } = properties[name]
    const value = given[name] ?? minimum
    const isValid = typeof value === 'number' && value >= minimum && value <= maximum
    if (!isValid) return `the ${name} must be a number from ${minimum} to ${maximum}`
  }
  return isColour(given.colour ?? 'red') ? undefined : `${short(given.colour)} is not a colour`
}

/** Whether the browser knows this colour. Keywords for every CSS property, and variables, are not colours. */
function isColour(colour) {
  if (typeof colour !== 'string') return false
  const isOfAnyProperty = /^\s*(inherit|initial|unset|revert|revert-layer)\s*$|\b(var|env|attr|if)\(/i.test(colour)
  return !isOfAnyProperty && CSS.supports('color', colour)
}

/** Changes a shape by valid arguments, and returns a description of the change. */
function change({ shape, colour, size, x, y }) {
  const element = byId(`shape-${shape}`)
  const { dataset } = element
  const done = []
  const set = (name, value, words) => {
    if (value === null || value === undefined) return
    dataset[name] = value
    done.push(words)
  }
  set('colour', colour?.trim(), colour?.trim())
  set('size', size, `${size} % of its size`)
  set('x', x, `${x} % from the left`)
  set('y', y, `${y} % from the top`)
  // A style is set instead of an attribute, because changes of a style are animated.
  const place = `${dataset.x * UNIT.x}px, ${dataset.y * UNIT.y}px`
  element.style.transform = `translate(${place}) scale(${dataset.size / 100})`
  element.style.fill = dataset.colour
  describe()
  return done.length ? `the ${shape}: ${done.join(', ')}` : `the ${shape} is unchanged`
}

/** Updates the text alternative of the stage. */
export function describe() {
  const sentences = properties.shape.enum.map((shape) => {
    const { colour, size, x, y } = byId(`shape-${shape}`).dataset
    return `A ${shape} of colour ${colour}, ${size} % in size, ${x} % from the left, ${y} % from the top.`
  })
  byId('stage').setAttribute('aria-label', sentences.join(' '))
}

/** Returns the value of a JSON text, or the error. */
function parse(json) {
  try {
    return { value: JSON.parse(json) }
  } catch (error) {
    return { error }
  }
}
