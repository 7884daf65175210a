// The elements of the page.

export const byId = (id) => document.getElementById(id)

/** Adds an element with this text, which is one text node, at the end of another. */
export function append(parent, tag, className, text = '') {
  const element = document.createElement(tag)
  element.className = className
  element.append(text)
  parent.append(element)
  return element
}
