// Helpers for the elements of the page.

export const byId = (id) => document.getElementById(id)

/** Adds an element to the end of another. Its text is one text node, even if empty. */
export function append(parent, tag, className, text = '') {
  const element = document.createElement(tag)
  element.className = className
  element.append(text)
  parent.append(element)
  return element
}
